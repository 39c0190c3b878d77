import type { Model } from './api.ts';
import { type AssistantMessage, NO_USAGE, type StopReason, type ToolCallContent, type Usage } from './messages.ts';
import { PartialJson } from './partial-json.ts';
import type { ProviderFailure, StreamEvent } from './stream.ts';

type Block = AssistantMessage['content'][number];

interface OpenBlock {
  readonly index: number;
  readonly json?: PartialJson;
}

/**
 * Builds one answer and the events that tell it, for those who write providers. Blocks are named by the provider's own
 * keys and may be open at the same time. The arguments of a tool call grow in place; everything else in `partial` is
 * a snapshot.
 */
export class AnswerBuilder {
  readonly #head: Pick<AssistantMessage, 'role' | 'api' | 'provider' | 'model' | 'timestamp'>;
  readonly #open = new Map<string, OpenBlock>();
  #content: Block[] = [];
  #usage: Usage = NO_USAGE;
  #brokenCall: string | undefined;

  constructor(model: Pick<Model, 'api' | 'provider' | 'id'>, now = Date.now()) {
    this.#head = { role: 'assistant', api: model.api, provider: model.provider, model: model.id, timestamp: now };
  }

  /** Why a tool call must not be carried out: its arguments are not whole. */
  get brokenCall(): string | undefined {
    return this.#brokenCall;
  }

  /** True when the answer asks for a tool. */
  get hasToolCall(): boolean {
    return this.#content.some(({ type }) => type === 'toolCall');
  }

  /** True when nothing has come yet. */
  get isEmpty(): boolean {
    return this.#content.length === 0;
  }

  /** True for a block that was begun and not ended. */
  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  /** The answer as far as it has come. */
  message(stopReason: StopReason = 'stop', failure?: Pick<ProviderFailure, 'message' | 'next'>): AssistantMessage {
    const { role, api, provider, model, timestamp } = this.#head;
    // Written out and not spread: this runs for every delta, and most of what it makes is thrown away.
    const content = this.#content.slice();
    const message = { role, api, provider, model, timestamp, content, usage: this.#usage, stopReason };
    return failure ? { ...message, ...errorFields(failure) } : message;
  }

  /** The first event. */
  start(): StreamEvent {
    return { type: 'start', partial: this.message() };
  }

  /** Begins a block of text. */
  beginText(key: string): StreamEvent {
    return this.#begin(key, { type: 'text', text: '' }, 'text_start');
  }

  /** Begins a thought. */
  beginThinking(key: string): StreamEvent {
    return this.#begin(key, { type: 'thinking', thinking: '' }, 'thinking_start');
  }

  /** Begins a tool call. */
  beginToolCall(key: string, call: Pick<ToolCallContent, 'id' | 'name'>): StreamEvent {
    return this.#begin(key, { type: 'toolCall', ...call, arguments: {} }, 'toolcall_start', new PartialJson());
  }

  /** Adds to a block: text, thought, or the JSON text of a call's arguments. */
  delta(key: string, delta: string): StreamEvent[] {
    const open = this.#open.get(key);
    const block = open && this.#content[open.index];
    if (!open || !block || delta === '') return [];
    const { index } = open;
    if (block.type === 'text') this.#content[index] = { ...block, text: block.text + delta };
    else if (block.type === 'thinking') this.#content[index] = { ...block, thinking: block.thinking + delta };
    else this.#content[index] = { ...block, arguments: record(open.json?.push(delta).value) };
    const type = ({ text: 'text_delta', thinking: 'thinking_delta', toolCall: 'toolcall_delta' } as const)[block.type];
    return [{ type, contentIndex: index, delta, partial: this.message() }];
  }

  /** Keeps what the provider wants back with the block. Tells nothing: it is no news to a reader. */
  sign(key: string, signature: string, options: { readonly redacted?: boolean; readonly append?: boolean } = {}): void {
    const index = this.#open.get(key)?.index;
    const block = index === undefined ? undefined : this.#content[index];
    if (index === undefined || !block) return;
    if (block.type === 'text') this.#content[index] = { ...block, textSignature: signature };
    else if (block.type === 'toolCall') this.#content[index] = { ...block, thoughtSignature: signature };
    else {
      const thinkingSignature = options.append ? (block.thinkingSignature ?? '') + signature : signature;
      this.#content[index] = { ...block, thinkingSignature, ...(options.redacted && { redacted: true }) };
    }
  }

  /** Ends a block. */
  end(key: string): StreamEvent[] {
    const open = this.#open.get(key);
    const block = open && this.#content[open.index];
    if (!open || !block) return [];
    this.#open.delete(key);
    const contentIndex = open.index;
    if (block.type === 'text')
      return [{ type: 'text_end', contentIndex, content: block.text, partial: this.message() }];
    if (block.type === 'thinking')
      return [{ type: 'thinking_end', contentIndex, content: block.thinking, partial: this.message() }];
    return [this.#endToolCall(contentIndex, block, open.json)];
  }

  /** The last event of an answer that came to its end; open blocks are ended first. */
  finish(reason: 'stop' | 'length' | 'toolUse', usage: Usage): StreamEvent[] {
    const ends = this.#endAll();
    this.#usage = usage;
    return [...ends, { type: 'done', reason, message: this.message(reason) }];
  }

  /** The last event of an answer that failed. What has come stays in it. */
  fail(failure: ProviderFailure, usage?: Usage): StreamEvent[] {
    if (usage) this.#usage = usage;
    const reason = failure.kind === 'aborted' ? 'aborted' : 'error';
    return [{ type: 'error', reason, error: this.message(reason, failure), failure }];
  }

  #begin(
    key: string,
    block: Block,
    type: 'text_start' | 'thinking_start' | 'toolcall_start',
    json?: PartialJson,
  ): StreamEvent {
    const contentIndex = this.#content.push(block) - 1;
    this.#open.set(key, { index: contentIndex, ...(json && { json }) });
    return { type, contentIndex, partial: this.message() };
  }

  #endToolCall(contentIndex: number, block: ToolCallContent, json: PartialJson | undefined): StreamEvent {
    const result = json?.end();
    const empty = result?.ok === false && result.value === undefined && result.problem === 'there is no text';
    if (result && !empty && (!result.ok || !isRecord(result.value))) {
      const problem = result.ok ? 'they are not an object' : result.problem;
      this.#brokenCall = `the arguments of the call of "${block.name}" cannot be read: ${problem}`;
    }
    const toolCall = { ...block, arguments: record(result?.value) };
    this.#content[contentIndex] = toolCall;
    return { type: 'toolcall_end', contentIndex, toolCall, partial: this.message() };
  }

  #endAll(): StreamEvent[] {
    return [...this.#open.keys()].flatMap((key) => this.end(key));
  }
}

/** What a message keeps of a failure. */
export function errorFields({
  message,
  next,
}: Pick<ProviderFailure, 'message' | 'next'>): Pick<AssistantMessage, 'errorMessage' | 'errorNext'> {
  return { errorMessage: message, ...(next !== undefined && { errorNext: next }) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const EMPTY = Object.freeze({});

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : EMPTY;
}
