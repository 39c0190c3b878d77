import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import { AnswerBuilder, type Model, type StreamEvent, type TokenCounts } from '@tenon/models/api';
import type { Dialect, Metadata } from './dialect.ts';
import { failureOf } from './failure.ts';
import { type Ending, finished } from './finish.ts';

/** Turns the parts of the SDK's stream into our events. One per answer. */
export class Normalizer {
  readonly answer: AnswerBuilder;
  readonly #dialect: Dialect;
  readonly #model: Model;
  /** Calls whose arguments have come as deltas, by the SDK's id. */
  readonly #streamed = new Set<string>();
  #raw: unknown;

  constructor(dialect: Dialect, model: Model) {
    this.#dialect = dialect;
    this.#model = model;
    this.answer = new AnswerBuilder(model);
  }

  /** The events that a part means. A terminal event is always the last one. Errors inside the stream are thrown. */
  take(part: LanguageModelV3StreamPart): StreamEvent[] {
    const { answer } = this;
    switch (part.type) {
      case 'text-start':
        return this.#withSignature(`t${part.id}`, part.providerMetadata, [answer.beginText(`t${part.id}`)]);
      case 'text-delta':
        return this.#withSignature(`t${part.id}`, part.providerMetadata, answer.delta(`t${part.id}`, part.delta));
      case 'text-end':
        this.#sign(`t${part.id}`, part.providerMetadata);
        return answer.end(`t${part.id}`);
      case 'reasoning-start':
        return this.#withSignature(`r${part.id}`, part.providerMetadata, [answer.beginThinking(`r${part.id}`)]);
      case 'reasoning-delta':
        return this.#withSignature(`r${part.id}`, part.providerMetadata, answer.delta(`r${part.id}`, part.delta));
      case 'reasoning-end':
        this.#sign(`r${part.id}`, part.providerMetadata);
        return answer.end(`r${part.id}`);
      case 'tool-input-start':
        return part.providerExecuted ? [] : [this.#beginCall(part.id, part.toolName)];
      case 'tool-input-delta':
        if (part.delta !== '') this.#streamed.add(part.id);
        return answer.delta(`c${part.id}`, part.delta);
      case 'tool-call':
        return part.providerExecuted ? [] : this.#endCall(part);
      case 'finish':
        return this.#finish(part.finishReason, part.usage);
      case 'raw':
        this.#raw = part.rawValue;
        return [];
      case 'error':
        throw this.#dialect.rawErrors && isException(this.#raw) ? this.#raw : part.error;
      default:
        return [];
    }
  }

  #beginCall(id: string, name: string): StreamEvent {
    return this.answer.beginToolCall(`c${id}`, { id, name });
  }

  /** The whole call. Where its arguments did not come in pieces, they come now as one. */
  #endCall(part: Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>): StreamEvent[] {
    const { toolCallId: id, toolName, input, providerMetadata } = part;
    const key = `c${id}`;
    const events: StreamEvent[] = [];
    if (!this.answer.isOpen(key)) events.push(this.#beginCall(id, toolName));
    if (!this.#streamed.has(id)) events.push(...this.answer.delta(key, input));
    const signature = this.#dialect.toolCallSignature?.(providerMetadata?.[this.#dialect.optionsKey]);
    if (signature !== undefined) this.answer.sign(key, signature);
    return [...events, ...this.answer.end(key)];
  }

  #withSignature(key: string, metadata: Record<string, Metadata> | undefined, events: StreamEvent[]): StreamEvent[] {
    this.#sign(key, metadata);
    return events;
  }

  #sign(key: string, metadata: Record<string, Metadata> | undefined): void {
    const own = metadata?.[this.#dialect.optionsKey];
    if (own === undefined) return;
    if (key.startsWith('r')) {
      const signed = this.#dialect.thinkingSignature(own);
      if (signed) this.answer.sign(key, signed.signature, signed);
    } else {
      const signature = this.#dialect.textSignature?.(own);
      if (signature !== undefined) this.answer.sign(key, signature);
    }
  }

  #finish({ unified, raw }: LanguageModelV3FinishReason, tokens: LanguageModelV3Usage): StreamEvent[] {
    return finished(this.answer, this.#model, { reason: REASONS[unified], said: raw, tokens: countsOf(tokens) });
  }

  /** The last event of an answer that broke off. */
  fail(thrown: unknown, aborted: boolean): StreamEvent[] {
    return this.answer.fail(failureOf(thrown, { provider: this.#model.provider, aborted }));
  }
}

/** The SDK's words for the end of an answer. */
const REASONS: Readonly<Record<LanguageModelV3FinishReason['unified'], Ending['reason']>> = {
  stop: 'stop',
  'tool-calls': 'stop',
  length: 'length',
  'content-filter': 'refused',
  error: 'broken',
  other: 'other',
};

function countsOf({ inputTokens, outputTokens }: LanguageModelV3Usage): TokenCounts {
  const cacheRead = inputTokens.cacheRead ?? 0;
  const cacheWrite = inputTokens.cacheWrite ?? 0;
  const input = inputTokens.noCache ?? Math.max(0, (inputTokens.total ?? 0) - cacheRead - cacheWrite);
  const { reasoning } = outputTokens;
  return { input, output: outputTokens.total ?? 0, cacheRead, cacheWrite, ...(reasoning && { reasoning }) };
}

/** Bedrock's exceptions: an object with the exception's name as its only key. */
function isException(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && Object.keys(raw).some((key) => key.endsWith('Exception'));
}
