/** What goes out over Anthropic's Messages. */
import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { ModelRequest } from '@tenon/models/api';
import type { Fields } from '../mending/values.ts';
import { type Image, imageOf, outputParts, outputText } from './prompt-parts.ts';

type Assistant = Extract<LanguageModelV3Message, { role: 'assistant' }>;
type Part = Assistant['content'][number];
type Asking = Extract<LanguageModelV3Message, { role: 'user' | 'tool' }>;

const KEY = 'messages';

/** The system prompt and the conversation. Messages of one side that follow each other become one. */
export function messagesPrompt(prompt: LanguageModelV3Prompt): {
  readonly system?: Fields[];
  readonly messages: Fields[];
} {
  const system: Fields[] = [];
  const messages: { readonly role: 'user' | 'assistant'; readonly content: Fields[] }[] = [];
  for (const message of prompt) {
    if (message.role === 'system') {
      system.push({ type: 'text', text: message.content, ...cacheMark(message) });
      continue;
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = message.role === 'assistant' ? assistantBlocks(message) : askingBlocks(message);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: blocks });
  }
  const ordered = messages.map(({ role, content }, at) => {
    if (role === 'user') return { role, content };
    return { role, content: callsLast(at === messages.length - 1 ? trimmed(content) : content) };
  });
  return { ...(system.length > 0 && { system }), messages: ordered };
}

function askingBlocks(message: Asking): Fields[] {
  const blocks: Fields[] =
    message.role === 'user'
      ? message.content.map((part) =>
          part.type === 'text' ? { type: 'text', text: part.text } : imageBlock(imageOf(part)),
        )
      : message.content.flatMap((part) => (part.type === 'tool-result' ? [resultBlock(part)] : []));
  const last = blocks.at(-1);
  if (last) Object.assign(last, cacheMark(message));
  return blocks;
}

function resultBlock({
  toolCallId,
  output,
}: Extract<Asking, { role: 'tool' }>['content'][number] & { type: 'tool-result' }): Fields {
  const content =
    output.type === 'content'
      ? outputParts(output).map((part) => ('text' in part ? { type: 'text', text: part.text } : imageBlock(part)))
      : outputText(output);
  return {
    type: 'tool_result',
    tool_use_id: toolCallId,
    content,
    ...(output.type === 'error-text' && { is_error: true }),
  };
}

function imageBlock({ mediaType, data }: Image): Fields {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

function assistantBlocks({ content }: Assistant): Fields[] {
  return content.flatMap((part): Fields[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type === 'reasoning') return thoughtBlock(part);
    if (part.type !== 'tool-call') return [];
    return [{ type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input }];
  });
}

function thoughtBlock(part: Extract<Part, { type: 'reasoning' }>): Fields[] {
  const { signature, redactedData: data } = part.providerOptions?.[KEY] ?? {};
  if (typeof signature === 'string') return [{ type: 'thinking', thinking: part.text, signature }];
  return typeof data === 'string' ? [{ type: 'redacted_thinking', data }] : [];
}

/** The API refuses text after a call; only a thought may follow one. */
function callsLast(content: readonly Fields[]): Fields[] {
  const ordered: Fields[] = [];
  let calls: Fields[] = [];
  for (const block of content) {
    if (block['type'] === 'tool_use') {
      calls.push(block);
      continue;
    }
    if (block['type'] === 'thinking' || block['type'] === 'redacted_thinking') {
      ordered.push(...calls);
      calls = [];
    }
    ordered.push(block);
  }
  return [...ordered, ...calls];
}

/** An answer that is to be continued must not end with blanks. */
function trimmed(content: readonly Fields[]): readonly Fields[] {
  const last = content.at(-1);
  return last?.['type'] === 'text'
    ? [...content.slice(0, -1), { ...last, text: String(last['text']).trim() }]
    : content;
}

function cacheMark({ providerOptions }: Pick<LanguageModelV3Message, 'providerOptions'>): Fields {
  const mark = providerOptions?.[KEY]?.['cacheControl'];
  return mark === undefined ? {} : { cache_control: mark };
}

/** The tools and which of them to call; nothing where there are none. A model that cannot be forced is given the one tool alone. */
export function messagesTools({ tools, toolChoice = 'auto' }: ModelRequest, canForce: boolean): Fields {
  if (tools.length === 0) return {};
  const named = typeof toolChoice === 'object' ? toolChoice.name : undefined;
  const offered = named !== undefined && !canForce ? tools.filter(({ name }) => name === named) : tools;
  return {
    tools: offered.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
      // Arguments come as they are written, and not when they are whole.
      eager_input_streaming: true,
    })),
    tool_choice:
      canForce && named !== undefined ? { type: 'tool', name: named } : { type: choiceType(toolChoice, canForce) },
  };
}

function choiceType(choice: ModelRequest['toolChoice'], canForce: boolean): string {
  if (choice === 'none') return 'none';
  return choice === 'required' && canForce ? 'any' : 'auto';
}
