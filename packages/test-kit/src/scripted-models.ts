/** A model registry that plays what a test writes down. */
import {
  type AssistantMessage,
  type Model,
  type ModelCall,
  type ModelRequest,
  NO_USAGE,
  type ProviderFailure,
  type StreamEvent,
} from '@tenon/models/api';

export const MODEL: Model = {
  provider: 'test',
  id: 'm',
  name: 'M',
  api: 'test',
  contextWindow: 100_000,
  maxTokens: 1_000,
  input: ['text'],
  reasoning: true,
};
export const SEEING: Model = { ...MODEL, id: 'seeing', name: 'Seeing', input: ['text', 'image'] };

/** What the registry gets: the keys of providers stay with it. */
export type Request = Omit<ModelRequest, 'apiKey'>;

/** One scripted answer. `pieces` are streamed one by one. */
export interface Answer {
  readonly text?: string;
  readonly pieces?: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly arguments?: Record<string, unknown> }[];
  readonly fail?: ProviderFailure;
  readonly hold?: Promise<void>;
  /** How many tokens the request and the answer have, as the provider counts. */
  readonly tokens?: number;
  /** The first try fails with "overloaded"; the next is made after `hold`. */
  readonly retry?: boolean;
  /** This model takes over, because the one that was asked is "overloaded". */
  readonly fallback?: string;
  /** The answer reaches the token limit. */
  readonly isCutOff?: boolean;
}

/** The answers in their order; the last one repeats. */
export type Script = readonly (Answer | ((request: Request) => Answer))[];

const SMALL_USAGE = { ...NO_USAGE, input: 10, output: 5, totalTokens: 15, cost: { ...NO_USAGE.cost, total: 0.001 } };

/** Which models there are; the first one serves every role, the first one that sees the role `vision`. */
export interface ScriptedModelsOptions {
  readonly models?: readonly [Model, ...Model[]];
  /** False where a test measures memory. */
  readonly keepsRequests?: boolean;
}

/** A registry that plays the script, and the requests that it got. */
export function scriptedModels(script: Script, options: ScriptedModelsOptions = {}) {
  const { models: all = [MODEL, SEEING], keepsRequests = true } = options;
  const requests: Request[] = [];
  let [turns, calls] = [0, 0];
  async function* stream(request: Request, call: ModelCall): AsyncGenerator<StreamEvent> {
    if (keepsRequests) requests.push(request);
    const next = script[Math.min(turns++, script.length - 1)] ?? {};
    const answer = typeof next === 'function' ? next(request) : next;
    const toolCalls = (answer.calls ?? []).map(({ name, arguments: args = {} }) => ({
      type: 'toolCall' as const,
      id: `call-${calls++}`,
      name,
      arguments: args,
    }));
    const stopReason = answer.calls ? 'toolUse' : answer.isCutOff ? 'length' : 'stop';
    const { tokens } = answer;
    const message = (text: string, isWhole: boolean): AssistantMessage => ({
      role: 'assistant',
      content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...(isWhole ? toolCalls : [])],
      api: 'test',
      provider: request.model.provider,
      model: request.model.id,
      usage: tokens === undefined ? SMALL_USAGE : { ...NO_USAGE, input: tokens, totalTokens: tokens },
      stopReason,
      timestamp: 1,
    });
    yield { type: 'start', partial: message('', false) };
    let text = '';
    for (const delta of answer.pieces ?? (answer.text === undefined ? [] : [answer.text])) {
      text += delta;
      yield { type: 'text_delta', contentIndex: 0, delta, partial: message(text, false) };
    }
    const failure = (await waitOrStop(answer, call)) ?? answer.fail;
    const whole = message(text, true);
    if (call.signal.aborted)
      yield { type: 'error', reason: 'aborted', error: { ...whole, stopReason: 'aborted', errorMessage: 'stopped' } };
    else if (failure) {
      const error = { ...whole, stopReason: 'error' as const, errorMessage: failure.message };
      yield { type: 'error', reason: 'error', error, failure };
    } else yield { type: 'done', reason: stopReason, message: whole };
  }
  const registry = {
    stream,
    list: () => Promise.resolve(all.map((model) => ({ ...model, available: true }))),
    find: (pattern: string) => {
      const model = all.find(({ provider, id }) => pattern === `${provider}/${id}` || pattern === id);
      return Promise.resolve(model && { model });
    },
    forRole: (role: string) => {
      const seeing = role === 'vision' ? all.find((model) => model.input.includes('image')) : undefined;
      return Promise.resolve({ model: seeing ?? all[0] ?? MODEL });
    },
  };
  return { registry, requests };
}

/** Announces retries, then waits for `hold` or the abort; gives the failure when the caller does not want to wait. */
async function waitOrStop({ hold, retry, fallback }: Answer, call: ModelCall): Promise<ProviderFailure | undefined> {
  let failure: ProviderFailure | undefined;
  const stopped = new Promise<void>((resolve) => {
    if (call.signal.aborted) resolve();
    else call.signal.addEventListener('abort', () => resolve(), { once: true });
    const giveUp = () => {
      failure = { kind: 'overloaded', message: 'overloaded' };
      resolve();
    };
    const notice = { attempt: 1, maxAttempts: 3, delayMs: 5, reason: 'overloaded' };
    if (fallback !== undefined) call.onRetry?.({ ...notice, fallback }, () => undefined);
    if (retry && call.mayWait?.() === false) giveUp();
    else if (retry) call.onRetry?.(notice, giveUp);
  });
  if (hold) await Promise.race([hold, stopped]);
  return failure;
}
