import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import { AnswerBuilder, type Model, type StreamEvent, type Usage, usageOf } from '@tenon/models/api';
import type { Dialect, Metadata } from './dialect.ts';
import { CutOffError, failureOf } from './failure.ts';

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
        return part.providerExecuted ? [] : [this.#beginCall(part.id, part.toolName, part.providerMetadata)];
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

  #beginCall(id: string, name: string, metadata: Record<string, Metadata> | undefined): StreamEvent {
    const own = metadata?.[this.#dialect.optionsKey];
    return this.answer.beginToolCall(`c${id}`, { id: this.#dialect.keepToolCallId?.(id, own) ?? id, name });
  }

  /** The whole call. Where its arguments did not come in pieces, they come now as one. */
  #endCall(part: Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>): StreamEvent[] {
    const { toolCallId: id, toolName, input, providerMetadata } = part;
    const key = `c${id}`;
    const events: StreamEvent[] = [];
    if (!this.answer.isOpen(key)) events.push(this.#beginCall(id, toolName, providerMetadata));
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
    const { answer } = this;
    const { provider } = this.#model;
    const usage = this.#usage(tokens);
    if (unified === 'content-filter')
      return answer.fail(
        { kind: 'refused', message: `${provider} refused to answer (${raw ?? 'content filter'})` },
        usage,
      );
    if (unified === 'error' || (unified === 'other' && raw === undefined))
      throw new CutOffError('the answer ended before it was whole');
    const reason = unified === 'length' ? 'length' : answer.hasToolCall ? 'toolUse' : 'stop';
    const events = answer.finish(reason, usage);
    if (answer.brokenCall === undefined) return events;
    // A call with half of its arguments must not be carried out, so the answer as a whole has failed.
    const ends = events.slice(0, -1);
    if (reason === 'length') {
      const message = `The answer reached its limit of tokens inside a tool call, so nothing was run: ${answer.brokenCall}. Ask for smaller steps, or raise the limit.`;
      return [...ends, ...answer.fail({ kind: 'bad-request', message }, usage)];
    }
    return [...ends, ...answer.fail({ kind: 'server', message: `${provider}: ${answer.brokenCall}` }, usage)];
  }

  #usage({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage {
    const cacheRead = inputTokens.cacheRead ?? 0;
    const cacheWrite = inputTokens.cacheWrite ?? 0;
    const input = inputTokens.noCache ?? Math.max(0, (inputTokens.total ?? 0) - cacheRead - cacheWrite);
    const { reasoning } = outputTokens;
    const output = outputTokens.total ?? 0;
    return usageOf(this.#model, { input, output, cacheRead, cacheWrite, ...(reasoning && { reasoning }) });
  }

  /** The last event of an answer that broke off. */
  fail(thrown: unknown, aborted: boolean): StreamEvent[] {
    return this.answer.fail(failureOf(thrown, { provider: this.#model.provider, aborted }));
  }
}

/** Bedrock's exceptions: an object with the exception's name as its only key. */
function isException(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && Object.keys(raw).some((key) => key.endsWith('Exception'));
}
