/** What goes out over OpenAI's Responses. */
import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { ModelRequest } from '@tenon/models/api';
import type { Fields } from '../mending/values.ts';
import { dataUrl, imageOf, outputParts, outputText } from './prompt-parts.ts';

type Assistant = Extract<LanguageModelV3Message, { role: 'assistant' }>;
type Part = Assistant['content'][number];

/** How the conversation goes to one model. */
interface InputOptions {
  /** Who says the system prompt; nobody where it goes another way. */
  readonly system: 'system' | 'developer' | undefined;
  /** True for models that take the ids of their texts back only together with the thoughts before them. */
  readonly isReasoning: boolean;
}

/** The conversation. */
export function responsesInput(prompt: LanguageModelV3Prompt, options: InputOptions): Fields[] {
  return prompt.flatMap((message): Fields[] => {
    if (message.role === 'system') return options.system ? [{ role: options.system, content: message.content }] : [];
    if (message.role === 'assistant') return assistantItems(message, options);
    if (message.role === 'user')
      return [
        {
          role: 'user',
          content: message.content.map((part) =>
            part.type === 'text' ? inputText(part.text) : inputImage(imageOf(part)),
          ),
        },
      ];
    return message.content.flatMap((part) => {
      if (part.type !== 'tool-result') return [];
      const { output, toolCallId } = part;
      const parts = () =>
        outputParts(output).map((piece) => ('text' in piece ? inputText(piece.text) : inputImage(piece)));
      const value = output.type === 'content' ? parts() : outputText(output);
      return [{ type: 'function_call_output', call_id: toolCallId, output: value }];
    });
  });
}

function inputText(text: string): Fields {
  return { type: 'input_text', text };
}

function inputImage(image: { readonly mediaType: string; readonly data: string }): Fields {
  return { type: 'input_image', image_url: dataUrl(image) };
}

function assistantItems({ content }: Assistant, { isReasoning }: InputOptions): Fields[] {
  const items: Fields[] = [];
  const thoughts = new Map<string, Fields & { readonly summary: Fields[] }>();
  let hasThought = false;
  for (const part of content) {
    if (part.type === 'text') {
      const id = textOf(part, 'itemId');
      const isKnown = id !== undefined && (!isReasoning || hasThought);
      items.push({ role: 'assistant', content: [{ type: 'output_text', text: part.text }], ...(isKnown && { id }) });
    } else if (part.type === 'tool-call') {
      const { toolCallId, toolName, input } = part;
      items.push({ type: 'function_call', call_id: toolCallId, name: toolName, arguments: JSON.stringify(input) });
    } else if (part.type === 'reasoning') {
      hasThought = true;
      addThought(part, items, thoughts);
    }
  }
  return items;
}

/** A thought in several parts is one item. */
function addThought(
  part: Extract<Part, { type: 'reasoning' }>,
  items: Fields[],
  thoughts: Map<string, Fields & { readonly summary: Fields[] }>,
): void {
  const id = textOf(part, 'itemId');
  const encrypted_content = textOf(part, 'reasoningEncryptedContent');
  const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
  const known = id === undefined ? undefined : thoughts.get(id);
  if (known) {
    known.summary.push(...summary);
    if (encrypted_content !== undefined) known['encrypted_content'] = encrypted_content;
    return;
  }
  const item = { type: 'reasoning', ...(id !== undefined && { id }), encrypted_content, summary };
  if (id !== undefined) thoughts.set(id, item);
  items.push(item);
}

function textOf(part: Part, option: string): string | undefined {
  const value = part.providerOptions?.['responses']?.[option];
  return typeof value === 'string' ? value : undefined;
}

/** The tools and which of them to call; nothing where there are none. */
export function responsesTools({ tools, toolChoice = 'auto' }: ModelRequest): Fields {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters })),
    tool_choice: typeof toolChoice === 'object' ? { type: 'function', name: toolChoice.name } : toolChoice,
  };
}
