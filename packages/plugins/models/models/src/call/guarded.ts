import { messageOf } from '@tenon/kernel';
import { AnswerBuilder, errorFields } from '../answer-builder.ts';
import type { Model, ModelRequest, Provider } from '../api.ts';
import type { AssistantMessage } from '../messages.ts';
import type { ProviderFailure, StreamEvent } from '../stream.ts';
import { hangUpWith } from './hang-up.ts';
import { HarmonyGuard } from './harmony.ts';

/** After an abort a provider has this long to end its stream by itself; then it is left alone. */
const ABORT_GRACE_MS = 40;

/**
 * A provider's stream with the promises of the contract kept for it: it never throws, always ends with `done` or
 * `error`, ends promptly after an abort, and carries no leaked routing header.
 */
export async function* guarded(
  provider: Provider,
  request: ModelRequest,
  options: { readonly signal: AbortSignal; readonly harmony: boolean },
): AsyncGenerator<StreamEvent> {
  const { model } = request;
  const hangUp = hangUpWith(options.signal);
  const guard = options.harmony ? new HarmonyGuard() : undefined;
  const cut = abortCut(options.signal);
  let partial: AssistantMessage | undefined;
  let iterator: AsyncIterator<StreamEvent> | undefined;
  try {
    iterator = provider.stream(request, { signal: hangUp.signal })[Symbol.asyncIterator]();
    for (;;) {
      const step = await cut.before(iterator.next());
      if (step === ABORTED) return yield failed(model, partial, { kind: 'aborted', message: 'Request was aborted' });
      if (step.done) break;
      const event = step.value;
      if ('partial' in event) partial = event.partial;
      if (guard?.sees(event)) {
        const message = `${model.provider}/${model.id} leaked its routing header into the answer; the answer was thrown away`;
        return yield failed(model, undefined, { kind: 'server', message });
      }
      const isEnd = event.type === 'done' || event.type === 'error';
      if (isEnd) hangUp.settle();
      yield event;
      if (isEnd) return;
    }
    const message = `the protocol "${model.api}" ended its stream without saying how`;
    yield failed(model, partial, { kind: 'server', message });
  } catch (fault) {
    const kind = options.signal.aborted ? 'aborted' : 'unknown';
    yield failed(model, partial, { kind, message: kind === 'aborted' ? 'Request was aborted' : messageOf(fault) });
  } finally {
    cut.stop();
    hangUp.end();
    // Not awaited: a provider that hangs must not hold up the one who left it.
    iterator?.return?.()?.then(undefined, () => undefined);
  }
}

/** An error event with what had come before. */
export function failed(model: Model, partial: AssistantMessage | undefined, failure: ProviderFailure): StreamEvent {
  const reason = failure.kind === 'aborted' ? 'aborted' : 'error';
  const base = partial ?? new AnswerBuilder(model).message();
  return { type: 'error', reason, error: { ...base, stopReason: reason, ...errorFields(failure) }, failure };
}

const ABORTED = Symbol('aborted');

/** Waits for work, but no longer than a moment after the abort. */
interface AbortCut {
  before<T>(work: Promise<T>): Promise<T | typeof ABORTED>;
  stop(): void;
}

function abortCut(signal: AbortSignal): AbortCut {
  let timer: NodeJS.Timeout | undefined;
  let isCut = false;
  let giveUp = () => {};
  const onAbort = () => {
    timer = setTimeout(() => {
      isCut = true;
      giveUp();
    }, ABORT_GRACE_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    // By hand: each race against one promise that lives as long as the answer would leave something behind in it.
    before: (work) =>
      new Promise((resolve, reject) => {
        giveUp = () => resolve(ABORTED);
        if (isCut) giveUp();
        work.then(resolve, reject);
      }),
    stop() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
