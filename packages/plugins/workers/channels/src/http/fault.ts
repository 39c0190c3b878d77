/** Why a service did not do what it was asked, and whether it is worth asking again. */

/** How a fault is dealt with: `again` after a while, `access` when a person has corrected something, `never`. */
export type FaultKind = 'again' | 'access' | 'never';

/** A service did not do what it was asked. */
export class ChannelFault extends Error {
  readonly kind: FaultKind;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** The service's own number or word for it. */
  readonly reason: string | undefined;

  constructor(
    message: string,
    kind: FaultKind,
    more: {
      readonly retryAfterMs?: number | undefined;
      readonly reason?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'ChannelFault';
    this.kind = kind;
    this.retryAfterMs = more.retryAfterMs;
    this.reason = more.reason;
  }
}

/** How long a `Retry-After` asks to wait: seconds, or a date. */
export function retryAfterOf(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value.trim())) return Math.ceil(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** How a status is dealt with. */
export function kindOfStatus(status: number): FaultKind {
  if (status === 401 || status === 403) return 'access';
  return status === 408 || status === 425 || status === 429 || status >= 500 ? 'again' : 'never';
}
