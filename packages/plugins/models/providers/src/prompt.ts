/** Turns a conversation into a prompt, whoever wrote its parts: other models' thoughts, ids and half-done calls included. */
import type { LanguageModelV3Message, LanguageModelV3Prompt, LanguageModelV3ToolResultOutput } from '@ai-sdk/provider';
import type {
  AssistantMessage,
  ImageContent,
  ModelMessage,
  ModelRequest,
  TextContent,
  ToolCallContent,
  ToolResultMessage,
} from '@tenon/models/api';
import { type Options, type PromptRules, quirk } from './dialect.ts';
import { shortId } from './tool-ids.ts';

type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number];
type UserPart = Extract<LanguageModelV3Message, { role: 'user' }>['content'][number];
type ResultPart = Extract<LanguageModelV3Message, { role: 'tool' }>['content'][number];

/** Makes the prompt for one call. */
export function promptOf(request: ModelRequest, rules: PromptRules): LanguageModelV3Prompt {
  const prompt = new PromptWriter(request, rules);
  for (const message of request.messages) prompt.add(message);
  return prompt.finish();
}

class PromptWriter {
  readonly #request: ModelRequest;
  readonly #rules: PromptRules;
  readonly #prompt: LanguageModelV3Message[] = [];
  /** Calls that wait for their results. */
  readonly #waiting = new Map<string, ToolCallContent>();
  #results: ResultPart[] = [];
  #resultImages: ImageContent[] = [];

  constructor(request: ModelRequest, rules: PromptRules) {
    this.#request = request;
    this.#rules = rules;
    if (request.systemPrompt !== '') this.#prompt.push({ role: 'system', content: request.systemPrompt });
  }

  add(message: ModelMessage): void {
    if (message.role === 'toolResult') return this.#addResult(message);
    this.#flushResults();
    if (message.role === 'assistant') return this.#addAssistant(message);
    const { content } = message;
    const parts = this.#userParts(typeof content === 'string' ? [{ type: 'text', text: content }] : content);
    if (parts.length > 0) this.#prompt.push({ role: 'user', content: parts });
  }

  finish(): LanguageModelV3Prompt {
    this.#flushResults();
    this.#markForCache();
    return this.#prompt;
  }

  #addAssistant(message: AssistantMessage): void {
    const { model } = this.#request;
    const own = message.api === model.api && message.provider === model.provider && message.model === model.id;
    // The arguments of a call may be cut off when the answer was; such a call was never carried out.
    const whole = message.stopReason !== 'error' && message.stopReason !== 'aborted';
    const parts: AssistantPart[] = [];
    for (const block of message.content) {
      if (block.type === 'toolCall') {
        if (!whole) continue;
        this.#waiting.set(block.id, block);
        parts.push(this.#callPart(block, own));
      } else if (block.type === 'text') {
        const options = own && whole && block.textSignature ? this.#rules.returnText?.(block.textSignature) : undefined;
        if (block.text.trim() !== '') parts.push({ type: 'text', text: block.text, ...this.#options(options) });
      } else if (own && whole) {
        const options = this.#rules.returnThinking(block, this.#request);
        if (options) parts.push({ type: 'reasoning', text: block.thinking, ...this.#options(options) });
      }
    }
    if (parts.some(({ type }) => type !== 'reasoning')) this.#prompt.push({ role: 'assistant', content: parts });
  }

  #callPart(block: ToolCallContent, own: boolean): AssistantPart {
    const { id, name, arguments: input } = block;
    const options = own ? this.#rules.returnToolCall?.(block) : undefined;
    return { type: 'tool-call', toolCallId: this.#id(id), toolName: name, input, ...this.#options(options) };
  }

  #addResult(message: ToolResultMessage): void {
    const { toolCallId, toolName } = message;
    // A result without its call is refused by every provider: the call was lost with a failed answer.
    if (!this.#waiting.delete(toolCallId)) return;
    const output = this.#output(message);
    this.#results.push({ type: 'tool-result', toolCallId: this.#id(toolCallId), toolName, output });
  }

  #output({ content, isError }: ToolResultMessage): LanguageModelV3ToolResultOutput {
    const text = content
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('\n')
      .trim();
    const images = content.filter((part): part is ImageContent => part.type === 'image');
    const canSee = this.#request.model.input.includes('image');
    if (images.length > 0 && canSee && this.#rules.imagesInResults) {
      const value = content.map((part) =>
        part.type === 'text'
          ? { type: 'text' as const, text: part.text }
          : { type: 'image-data' as const, data: part.data, mediaType: part.mimeType },
      );
      return { type: 'content', value };
    }
    if (images.length > 0 && canSee) this.#resultImages.push(...images);
    const note = images.length === 0 ? '' : canSee ? '[the image follows]' : UNSEEN;
    const value = [text, note].filter(Boolean).join('\n') || '(no output)';
    return { type: isError ? 'error-text' : 'text', value };
  }

  /** Ends a run of results: calls without one get an answer, images that results cannot carry follow. */
  #flushResults(): void {
    for (const { id, name } of this.#waiting.values())
      this.#results.push({
        type: 'tool-result',
        toolCallId: this.#id(id),
        toolName: name,
        output: { type: 'error-text', value: 'There is no result: the call was interrupted.' },
      });
    this.#waiting.clear();
    if (this.#results.length > 0) this.#prompt.push({ role: 'tool', content: this.#results });
    this.#results = [];
    if (this.#resultImages.length === 0) return;
    const text = 'The images of the results above:';
    this.#prompt.push({ role: 'user', content: this.#userParts([{ type: 'text', text }, ...this.#resultImages]) });
    this.#resultImages = [];
  }

  #userParts(content: readonly (TextContent | ImageContent)[]): UserPart[] {
    return content.flatMap((part): UserPart[] => {
      if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
      if (!this.#request.model.input.includes('image')) return [{ type: 'text', text: UNSEEN }];
      return [{ type: 'file', data: part.data, mediaType: part.mimeType }];
    });
  }

  /** Caches the system prompt and the conversation up to its last two turns, so that each call reads what the one before wrote. */
  #markForCache(): void {
    const mark = this.#rules.cacheMark?.(this.#request);
    if (!mark) return;
    const { length } = this.#prompt;
    const turns = [...this.#prompt.keys()].filter((at) => /^(?:user|tool)$/.test(this.#prompt[at]?.role ?? ''));
    for (const at of new Set([0, ...turns.slice(-2)])) {
      const message = at < length ? this.#prompt[at] : undefined;
      if (message) this.#prompt[at] = { ...message, ...this.#options(mark) };
    }
  }

  #options(options: Options | undefined): { providerOptions?: Record<string, Options> } {
    return options === undefined ? {} : { providerOptions: { [this.#rules.optionsKey]: options } };
  }

  #id(id: string): string {
    if (quirk(this.#request, 'shortToolIds', 'boolean')) return shortId(id);
    return this.#rules.toolCallId?.(id) ?? id;
  }
}

const UNSEEN = '[an image was here; this model takes no images]';
