/** What extensions import of pi-ai: models are called by Tenon, with the keys that it keeps. */
import { Type } from '@sinclair/typebox';
import type { Bridge, SessionScope } from '../../protocol.ts';
import { plain } from '../plain.ts';

type Fields = Record<string, unknown>;

/** Events that can be pushed by one side and read by the other, and the message at the end. */
export class AssistantMessageEventStream implements AsyncIterable<Fields> {
  readonly #events: Fields[] = [];
  readonly #waiting: ((step: IteratorResult<Fields>) => void)[] = [];
  readonly #result: Promise<Fields>;
  #settle: (message: Fields) => void = () => undefined;
  #ended = false;

  constructor() {
    this.#result = new Promise((resolve) => (this.#settle = resolve));
  }

  push(event: Fields): void {
    if (this.#ended) return;
    if (event['type'] === 'done') this.#settle(event['message'] as Fields);
    if (event['type'] === 'error') this.#settle(event['error'] as Fields);
    const waiting = this.#waiting.shift();
    if (waiting) waiting({ done: false, value: event });
    else this.#events.push(event);
  }

  end(message?: Fields): void {
    this.#ended = true;
    if (message) this.#settle(message);
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined });
  }

  result(): Promise<Fields> {
    return this.#result;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Fields> {
    for (;;) {
      const event = this.#events.shift();
      if (event) {
        yield event;
        continue;
      }
      if (this.#ended) return;
      const step = await new Promise<IteratorResult<Fields>>((resolve) => this.#waiting.push(resolve));
      if (step.done === true) return;
      yield step.value;
    }
  }
}

/** Makes the module. */
export function createAi(bridge: Bridge, place: () => SessionScope): Record<string, unknown> {
  const stream = (model: unknown, context: unknown, options: Fields = {}): AssistantMessageEventStream => {
    const out = new AssistantMessageEventStream();
    void forward(bridge, place(), { model, context, options }, out);
    return out;
  };
  const complete = (model: unknown, context: unknown, options?: Fields) => stream(model, context, options).result();
  const models = () => bridge.ask('models', place()) as (Fields & { provider: string; id: string })[];
  return {
    Type,
    StringEnum: (values: readonly string[], options: Fields = {}) =>
      Type.Unsafe({ type: 'string', enum: [...values], ...options }),
    stream,
    streamSimple: stream,
    complete,
    completeSimple: complete,
    getModel: (provider: string, id: string) =>
      models().find((model) => model.provider === provider && model.id === id),
    getModels: (provider: string) => models().filter((model) => model.provider === provider),
    getProviders: () => [...new Set(models().map(({ provider }) => provider))],
    getEnvApiKey: () => undefined,
    supportsXhigh: () => false,
    modelsAreEqual: (a?: Fields, b?: Fields) => a?.['provider'] === b?.['provider'] && a?.['id'] === b?.['id'],
    calculateCost,
    AssistantMessageEventStream,
    createAssistantMessageEventStream: () => new AssistantMessageEventStream(),
    EventStream: AssistantMessageEventStream,
    isContextOverflow: (message?: Fields) =>
      /context|too (?:long|many tokens)/i.test(String(message?.['errorMessage'] ?? '')),
    validateToolCall: (_tools: unknown, call: Fields) => call['arguments'],
    validateToolArguments: (_tool: unknown, call: Fields) => call['arguments'],
    parseStreamingJson: (text: string) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return {}; // Half a document is nothing yet.
      }
    },
    parseJsonWithRepair: (text: string) => JSON.parse(text) as unknown,
    getOverflowPatterns: () => [],
  };
}

async function forward(
  bridge: Bridge,
  place: SessionScope,
  { model, context, options }: { model: unknown; context: unknown; options: Fields },
  out: AssistantMessageEventStream,
): Promise<void> {
  const { signal, apiKey: _kept, headers: _headers, ...rest } = options;
  const asked = { model: plain(model), context: plain(contextOf(context)), options: plain(rest) };
  let stop: (() => void) | undefined;
  try {
    const events = (await bridge.call('complete', place, asked)) as AsyncIterable<Fields>;
    const iterator = events[Symbol.asyncIterator]();
    // Whoever stops reading stops the call; how it ends concerns nobody then.
    stop = () => void iterator.return?.().catch(() => undefined);
    if (signal instanceof AbortSignal) signal.addEventListener('abort', stop, { once: true });
    if ((signal as AbortSignal | undefined)?.aborted) stop();
    for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) out.push(step.value);
  } catch (fault) {
    const errorMessage = fault instanceof Error ? fault.message : String(fault);
    const error = {
      role: 'assistant',
      content: [],
      stopReason: 'error',
      errorMessage,
      usage: NO_USAGE,
      timestamp: Date.now(),
    };
    out.push({ type: 'error', reason: 'error', error });
  } finally {
    if (stop && signal instanceof AbortSignal) signal.removeEventListener('abort', stop);
    out.end();
  }
}

function contextOf(context: unknown): unknown {
  const { systemPrompt, messages, tools } = (context ?? {}) as Fields;
  return { systemPrompt: Array.isArray(systemPrompt) ? systemPrompt.join('\n\n') : systemPrompt, messages, tools };
}

const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** What a call cost, by the prices of the model; written into its usage. */
function calculateCost(model: Fields, usage: Record<string, unknown>): unknown {
  const prices = (model['cost'] ?? {}) as Record<string, number>;
  const parts = Object.fromEntries(
    ['input', 'output', 'cacheRead', 'cacheWrite'].map((kind) => [
      kind,
      (Number(usage[kind] ?? 0) * (prices[kind] ?? 0)) / 1_000_000,
    ]),
  );
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  usage['cost'] = { ...parts, total };
  return usage['cost'];
}
