/** What goes out over OpenAI's Chat Completions. */
import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { ModelRequest } from '@tenon/models/api';
import type { Fields } from '../mending/values.ts';
import { dataUrl, imageOf, outputText } from './prompt-parts.ts';

type Assistant = Extract<LanguageModelV3Message, { role: 'assistant' }>;
type User = Extract<LanguageModelV3Message, { role: 'user' }>;

/** The conversation. */
export function completionsMessages(prompt: LanguageModelV3Prompt): Fields[] {
  return prompt.flatMap((message): Fields[] => {
    if (message.role === 'system') return [{ role: 'system', content: message.content }];
    if (message.role === 'user') return [{ role: 'user', content: userContent(message) }];
    if (message.role === 'assistant') return [assistantMessage(message)];
    return message.content.flatMap((part) =>
      part.type === 'tool-result'
        ? [{ role: 'tool', tool_call_id: part.toolCallId, content: outputText(part.output) }]
        : [],
    );
  });
}

/** Many servers take only text where there is nothing but text. */
function userContent({ content }: User): unknown {
  const [first] = content;
  if (content.length === 1 && first?.type === 'text') return first.text;
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: dataUrl(imageOf(part)) } },
  );
}

function assistantMessage({ content }: Assistant): Fields {
  let text = '';
  let reasoning = '';
  const calls: Fields[] = [];
  for (const part of content) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'reasoning') reasoning += part.text;
    else if (part.type === 'tool-call') {
      const signature = part.providerOptions?.['completions']?.['thoughtSignature'];
      calls.push({
        id: part.toolCallId,
        type: 'function',
        function: { name: part.toolName, arguments: JSON.stringify(part.input) },
        // Gemini signs its calls, and wants the signature back where it came from.
        ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
      });
    }
  }
  return {
    role: 'assistant',
    content: calls.length > 0 && text === '' ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** The tools and which of them to call; nothing where there are none. */
export function completionsTools({ tools, toolChoice = 'auto' }: ModelRequest): Fields {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    tool_choice:
      typeof toolChoice === 'object' ? { type: 'function', function: { name: toolChoice.name } } : toolChoice,
  };
}
