import type { ModelsSettings } from '../generated/settings.ts';
import type { ProviderFailure } from '../stream.ts';

/** The user's wishes about retries. */
export type RetrySettings = ModelsSettings['retry'];

const TRANSIENT: ReadonlySet<ProviderFailure['kind']> = new Set(['rate-limit', 'overloaded', 'server', 'network']);
const MAY_FALL_BACK: ReadonlySet<ProviderFailure['kind']> = new Set([...TRANSIENT, 'auth', 'no-quota', 'no-model']);

/** True when the same call may succeed later. */
export function isTransient({ kind }: ProviderFailure): boolean {
  return TRANSIENT.has(kind);
}

/** True when another model may succeed where this one failed. */
export function mayFallBack({ kind }: ProviderFailure): boolean {
  return MAY_FALL_BACK.has(kind);
}

/** A server of this machine that is not there. It may be starting, but mostly somebody has to start it. */
const NOBODY_THERE = /\bECONNREFUSED (?:127\.|::1|\[::1\]|localhost)/;
const ATTEMPTS_WITH_NOBODY = 3;

/** How often a call that failed like this is made at most. */
export function mostAttempts({ kind, message }: ProviderFailure, { maxAttempts }: RetrySettings): number {
  return kind === 'network' && NOBODY_THERE.test(message) ? Math.min(maxAttempts, ATTEMPTS_WITH_NOBODY) : maxAttempts;
}

/**
 * How long to wait before attempt number `attempt + 1`, or nothing when it is not worth waiting. The provider's word
 * counts; else the wait doubles each time. Both are jittered, so that many sessions do not come back at the same moment.
 */
export function retryDelay(
  failure: ProviderFailure,
  attempt: number,
  settings: RetrySettings,
  random: () => number = Math.random,
): number | undefined {
  if (!isTransient(failure) || attempt >= mostAttempts(failure, settings)) return undefined;
  const waitMs = failure.retryAfterMs;
  if (waitMs !== undefined) return waitMs > settings.maxWaitMs ? undefined : Math.round(waitMs * (1 + random() * 0.1));
  const backOff = Math.min(settings.maxDelayMs, settings.baseDelayMs * 2 ** (attempt - 1));
  return Math.round(backOff * (0.5 + random() * 0.5));
}
