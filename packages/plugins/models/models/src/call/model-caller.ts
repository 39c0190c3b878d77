/** Calls a model until it answers: waits, changes keys, changes models, and says so. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TenonError } from '@tenon/kernel';
import { errorFields } from '../answer-builder.ts';
import type { Model, ModelRegistry, ModelRequest, Provider, ThinkingLevel } from '../api.ts';
import { errors } from '../errors.ts';
import type { ProviderFailure, StreamEvent } from '../stream.ts';
import { batchDeltas } from './batch-deltas.ts';
import { failed, guarded } from './guarded.ts';
import { hangUpWith } from './hang-up.ts';
import { leaksHarmony } from './harmony.ts';
import { askedImage } from './images.ts';
import { KeyRing } from './key-ring.ts';
import { accessFailure, type Reach, withCredentials } from './reach.ts';
import { isTransient, mayFallBack, mostAttempts, retryDelay, type RetrySettings } from './retry-policy.ts';

/** What the caller needs from the rest of the plugin. */
export interface CallerHost {
  provider(api: string): Promise<Provider>;
  /** All keys of a provider, best first; empty when it needs none. Rejects when there should be one and is not. */
  keys(model: Model): Promise<readonly string[]>;
  /** What a key becomes before the call: some endpoints exchange it, or name another address. Rejects with what to do. */
  readonly reach: (model: Model, key: string) => Promise<Reach>;
  /** Gets a new token for a login whose token was refused. False when there is none to be had. */
  renew(model: Model, key: string): Promise<boolean>;
  /** The models to try after this one. */
  fallbacks(model: Model): Promise<readonly Model[]>;
  /** The model that takes the place of one that does not see images, if there is one. */
  forImages(model: Model): Promise<{ readonly model: Model; readonly thinking?: ThinkingLevel } | undefined>;
  /** What the user can do about a failure that nothing helped against. */
  advice(model: Model, failure: ProviderFailure): Promise<TenonError | undefined>;
  readonly retry: RetrySettings;
  readonly batchMs: number;
  readonly harmonyGuard: boolean;
}

type Call = Parameters<ModelRegistry['stream']>[1];
type Request = Parameters<ModelRegistry['stream']>[0];
type Terminal = Extract<StreamEvent, { type: 'done' | 'error' }>;

const ANOTHER_KEY_MAY_HELP: ReadonlySet<ProviderFailure['kind']> = new Set(['rate-limit', 'auth', 'no-quota']);
/** A key without quota, or a wrong one, is not tried again for this long. */
const REFUSED_KEY_RESTS_MS = 10 * 60_000;
/** A key that is limited rests this long when the provider does not say how long. */
const LIMITED_KEY_RESTS_MS = 60_000;
/** A model that had to be replaced is not tried again for this long, so that not every turn waits for it. */
const FAILED_MODEL_RESTS_MS = 3 * 60_000;

/** What is done about a failure. */
interface Plan {
  readonly delayMs: number;
  readonly reason: string;
  /** Another key or token is used, which does not count as an attempt. */
  readonly rotated: boolean;
  readonly renewed?: boolean;
}

/** What nothing helped against. */
interface Failure {
  readonly event: StreamEvent;
  readonly failure: ProviderFailure;
  /** True when somebody gave up: then no other model takes over either. */
  readonly isFinal: boolean;
}

/** Streams answers with retries, key rotation and fallback. */
export class ModelCaller {
  readonly #host: CallerHost;
  readonly #ring: KeyRing;
  readonly #resting = new Map<string, { readonly until: number; readonly reason: string }>();
  /** The question for which the user was last told that another model looks at the image: its answer takes several calls. */
  #toldOfImage: string | undefined;

  constructor(host: CallerHost, ring = new KeyRing()) {
    this.#host = host;
    this.#ring = ring;
  }

  /** One answer. Deltas are joined; leaving the loop hangs up. */
  async *stream(request: Request, call: Call): AsyncGenerator<StreamEvent> {
    const hangUp = hangUpWith(call.signal);
    try {
      const events = this.#models(request, { ...call, signal: hangUp.signal });
      yield* withStart(events, () => hangUp.settle());
    } finally {
      hangUp.end();
    }
  }

  async *#models(original: Request, call: Call): AsyncGenerator<StreamEvent> {
    const request = await this.#withEyes(original, call);
    if (!request) return yield this.#blind(original.model);
    let next: Model[] | undefined;
    let model = request.model;
    for (;;) {
      const rest = this.#resting.get(nameOf(model));
      next ??= rest ? [...(await this.#host.fallbacks(request.model))] : undefined;
      const rests = rest !== undefined && rest.until > Date.now() && (next?.length ?? 0) > 0;
      const last = rests ? undefined : yield* this.#attempts({ ...request, model }, call);
      if (!rests && !last) return;
      next ??= [...(await this.#host.fallbacks(request.model))];
      const may = rests || (last !== undefined && !last.isFinal && mayFallBack(last.failure) && !call.signal.aborted);
      const fallback = may ? next.shift() : undefined;
      if (!fallback) return last ? yield await this.#advised(model, last.event) : undefined;
      if (last) this.#rest(model, last.failure);
      const reason = last?.failure.message ?? `${nameOf(model)} rests: ${rest?.reason ?? ''}`;
      const { maxAttempts } = this.#host.retry;
      // Nothing is waited for here, so there is nothing to stop.
      call.onRetry?.({ attempt: 1, maxAttempts, delayMs: 0, reason, fallback: nameOf(fallback) }, () => undefined);
      model = fallback;
    }
  }

  /** The request for a model that sees what is asked about; nothing when there is none. */
  async #withEyes(request: Request, call: Call): Promise<Request | undefined> {
    const { model, messages, sessionId } = request;
    const image = model.input.includes('image') ? undefined : askedImage(messages);
    if (!image) return request;
    const seeing = await this.#host.forImages(model);
    if (!seeing) return undefined;
    const question = `${sessionId} ${image.timestamp} ${nameOf(seeing.model)}`;
    if (this.#toldOfImage !== question) {
      const reason = `${nameOf(model)} does not see images`;
      const { maxAttempts } = this.#host.retry;
      call.onRetry?.({ attempt: 1, maxAttempts, delayMs: 0, reason, fallback: nameOf(seeing.model) }, () => undefined);
    }
    this.#toldOfImage = question;
    return { ...request, ...seeing };
  }

  #blind(model: Model): StreamEvent {
    const { message, next, code } = errors.create('MODELS_NO_IMAGES', { model: nameOf(model) });
    return failed(model, undefined, { kind: 'bad-request', message, next, code });
  }

  /** A failure with what the user can do about it. */
  async #advised(model: Model, event: StreamEvent): Promise<StreamEvent> {
    if (event.type !== 'error') return event;
    const problem = failureIn(event);
    const advice = problem.next === undefined ? await this.#host.advice(model, problem) : undefined;
    if (!advice) return event;
    const failure = { ...problem, code: advice.code, next: advice.next };
    return { ...event, failure, error: { ...event.error, ...errorFields(failure) } };
  }

  #rest(model: Model, { message, retryAfterMs = 0 }: ProviderFailure): void {
    const until = Date.now() + Math.max(FAILED_MODEL_RESTS_MS, retryAfterMs);
    this.#resting.set(nameOf(model), { until, reason: message });
  }

  /** All attempts with one model. Gives the failure that nothing helped against, or nothing after an answer. */
  async *#attempts(request: Request, call: Call): AsyncGenerator<StreamEvent, Failure | undefined> {
    const { model } = request;
    const { retry } = this.#host;
    const failure = (event: StreamEvent, isFinal = false): Failure => ({ event, failure: failureIn(event), isFinal });
    let rotations = 0;
    let renewed = false;
    for (let attempt = 1; ; attempt++) {
      let keys: readonly string[];
      let provider: Provider;
      try {
        [keys, provider] = await Promise.all([this.#host.keys(model), this.#host.provider(model.api)]);
      } catch (fault) {
        return failure(failed(model, undefined, accessFailure(fault)));
      }
      const apiKey = this.#ring.pick(model.provider, keys);
      const reached = await withCredentials(this.#host.reach, request, apiKey, call.signal);
      const end = 'type' in reached ? reached : yield* this.#once(provider, reached, call.signal);
      if (end.type === 'done') {
        yield end;
        return undefined;
      }
      const problem = failureIn(end);
      if (problem.kind === 'aborted') return failure(end);
      const plan: Plan | undefined =
        this.#plan(problem, attempt - rotations, { model, keys, apiKey, rotations }) ??
        (await this.#renewed(problem, model, apiKey, renewed));
      if (!plan || (!plan.rotated && call.mayWait?.() === false)) return failure(end);
      renewed ||= plan.renewed === true;
      if (plan.rotated) rotations++;
      const maxAttempts = mostAttempts(problem, retry);
      const wait = hangUpWith(call.signal);
      const { delayMs, reason } = plan;
      call.onRetry?.({ attempt: attempt - rotations + 1, maxAttempts, delayMs, reason }, () => wait.end());
      try {
        await sleep(delayMs, undefined, { signal: wait.signal });
      } catch {
        // Only an abort ends a sleep: that of the call, or of the waiting alone.
        if (!call.signal.aborted) return failure(end, true);
        return failure(failed(model, end.error, { kind: 'aborted', message: 'Request was aborted' }));
      } finally {
        wait.end();
      }
    }
  }

  /** A login whose token was refused before its time gets one new token per call. */
  async #renewed(
    problem: ProviderFailure,
    model: Model,
    apiKey: string | undefined,
    before: boolean,
  ): Promise<Plan | undefined> {
    if (problem.kind !== 'auth' || apiKey === undefined || before) return undefined;
    const success = await this.#host.renew(model, apiKey).catch(() => false); // The user sees the refusal itself.
    if (!success) return undefined;
    return { delayMs: 0, reason: `${problem.message} (the login was renewed)`, rotated: true, renewed: true };
  }

  #plan(
    problem: ProviderFailure,
    attempt: number,
    {
      model,
      keys,
      apiKey,
      rotations,
    }: { model: Model; keys: readonly string[]; apiKey: string | undefined; rotations: number },
  ): Plan | undefined {
    if (apiKey !== undefined && ANOTHER_KEY_MAY_HELP.has(problem.kind)) {
      const isLimited = problem.kind === 'rate-limit';
      const rest = isLimited ? (problem.retryAfterMs ?? LIMITED_KEY_RESTS_MS) : REFUSED_KEY_RESTS_MS;
      // Each key gets one turn; then it is the provider that is busy, and waiting helps.
      if (this.#ring.rest(model.provider, apiKey, keys, rest) && rotations < keys.length - 1)
        return { delayMs: 0, reason: `${problem.message} (another key takes over)`, rotated: true };
    }
    if (!isTransient(problem)) return undefined;
    const delayMs = retryDelay(problem, attempt, this.#host.retry);
    return delayMs === undefined ? undefined : { delayMs, reason: problem.message, rotated: false };
  }

  /** One request. `start` is held back until something follows, so that a refused attempt leaves no trace. */
  async *#once(provider: Provider, request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent, Terminal> {
    const harmony = this.#host.harmonyGuard && leaksHarmony(request.model);
    let start: StreamEvent | undefined;
    for await (const event of guarded(joining(provider, this.#host.batchMs), request, { signal, harmony })) {
      if (event.type === 'done' || event.type === 'error') {
        if (event.type === 'done' && start) yield start;
        return event;
      }
      if (event.type === 'start') start = event;
      else {
        if (start) yield start;
        start = undefined;
        yield event;
      }
    }
    throw new Error('a guarded stream always ends with a terminal event');
  }
}

/** The provider with its deltas joined. This comes before all else: everything after it costs time for each event. */
function joining(provider: Provider, batchMs: number): Provider {
  const joined: Provider['stream'] = (request, call) => provider.stream(request, { ...call, batchMs });
  if (provider.joinsDeltas) return { stream: joined };
  return { stream: (request, call) => batchDeltas(joined(request, call), { intervalMs: batchMs }) };
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

function failureIn(event: StreamEvent): ProviderFailure {
  if (event.type !== 'error') return { kind: 'unknown', message: 'no failure' };
  return (
    event.failure ?? {
      kind: event.reason === 'aborted' ? 'aborted' : 'unknown',
      message: event.error.errorMessage ?? 'failed',
    }
  );
}

/** Consumers see a `start` also when the first thing that comes is a failure. */
async function* withStart(source: AsyncIterable<StreamEvent>, onEnd: () => void): AsyncGenerator<StreamEvent> {
  let started = false;
  for await (const event of source) {
    if (!started && event.type === 'error') yield { type: 'start', partial: { ...event.error, stopReason: 'stop' } };
    started = true;
    if (event.type === 'done' || event.type === 'error') onEnd();
    yield event;
  }
}
