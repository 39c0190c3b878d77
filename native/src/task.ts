import type { CancelHandle, CoreAddon } from './addon.ts';

/** How a caller bounds one accelerator call. */
export interface CallLimits {
  /** Aborting it rejects the call at once with the signal's reason; the work behind it stops soon after. */
  readonly signal?: AbortSignal | undefined;
  /** The call rejects with a `TimeoutError` after this many milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** A native call that failed: by the caller's input or surroundings (`failure`) or by a defect of ours (`panic`). */
export class NativeError extends Error {
  override readonly name = 'NativeError';
  readonly kind: 'failure' | 'panic';

  constructor(kind: 'failure' | 'panic', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** A u32 on the Rust side, and the longest delay a Node timer takes. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The statuses that native/rust/task.rs gives to a cancelled call and to a caught panic. */
const CANCELLED_STATUS = 'Cancelled';
const PANIC_STATUS = 'Unknown';

/**
 * Starts native work and settles as soon as it ends, the signal aborts or the time is up, whichever comes first.
 * `start` receives the handle to pass as the last argument of the raw function.
 */
export function callNative<T>(
  addon: Pick<CoreAddon, 'CancelHandle'>,
  start: (cancel: CancelHandle) => Promise<T>,
  limits: CallLimits = {},
): Promise<T> {
  const { signal } = limits;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const timeoutMs = clampTimeout(limits.timeoutMs);

  return new Promise<T>((resolve, reject) => {
    // The deadline is given to both sides: Rust stops by itself even while this thread is busy, and the timer
    // answers the caller even when the work has no heartbeat or still waits for a thread.
    const handle = timeoutMs === undefined ? new addon.CancelHandle() : new addon.CancelHandle(timeoutMs);
    let timer: NodeJS.Timeout | undefined;

    const onAbort = (): void => {
      settle();
      handle.cancel();
      reject(signal?.reason);
    };
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };

    signal?.addEventListener('abort', onAbort, { once: true });
    if (timeoutMs !== undefined) {
      timer = setTimeout(() => {
        settle();
        handle.cancel();
        reject(timeoutError(timeoutMs));
      }, timeoutMs);
    }

    // `start` may throw at once (bad arguments); the promise chain turns that into a rejection as well.
    Promise.resolve()
      .then(() => start(handle))
      .then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          if (statusOf(error) === CANCELLED_STATUS) {
            reject(signal?.aborted ? signal.reason : timeoutError(timeoutMs ?? 0));
          } else {
            reject(toNativeError(error));
          }
        },
      );
  });
}

/** Runs a synchronous native call and maps its errors as `callNative` does. */
export function callNativeSync<T>(start: () => T): T {
  try {
    return start();
  } catch (error) {
    throw toNativeError(error);
  }
}

/** The same limits for a JavaScript twin: one signal that aborts with exactly what `callNative` rejects with. */
export interface LinkedLimits {
  readonly signal: AbortSignal;
  /** Releases the timer and the listener; call it when the work ends. */
  dispose(): void;
}

/** Joins a caller's signal and time limit into one signal for a JavaScript twin's loops. */
export function linkLimits(limits: CallLimits = {}): LinkedLimits {
  const controller = new AbortController();
  const { signal } = limits;
  const timeoutMs = clampTimeout(limits.timeoutMs);
  const onAbort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(timeoutError(timeoutMs)), timeoutMs);
  return {
    signal: controller.signal,
    dispose() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** The error of a call that ran past its time limit; the same name that `AbortSignal.timeout` gives. */
export function timeoutError(timeoutMs: number): DOMException {
  return new DOMException(
    `the operation ran past its limit of ${timeoutMs} ms; allow more time or narrow what it works on`,
    'TimeoutError',
  );
}

function clampTimeout(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined || timeoutMs === Infinity) return undefined;
  if (!(timeoutMs >= 0)) throw new RangeError(`timeoutMs must be a number of milliseconds >= 0, got ${timeoutMs}`);
  return Math.min(Math.ceil(timeoutMs), LONGEST_TIMEOUT_MS);
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function toNativeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return new NativeError(statusOf(error) === PANIC_STATUS ? 'panic' : 'failure', error.message, { cause: error });
}
