/** How long a server wants nothing more to be asked. */

/** A limit that was reached. */
export interface RateLimit {
  readonly kind: 'primary' | 'secondary';
  readonly seconds: number;
}

/** GitHub asks for at least a minute where it does not say how long. */
const UNSAID_SECONDS = 60;
const LONGEST_SECONDS = 24 * 3600;

/** The limit that an answer speaks of; undefined for any other refusal. `now` is in milliseconds. */
export function limitIn(
  { status, header, body }: { readonly status: number; header(name: string): string; readonly body: string },
  now: number,
): RateLimit | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const isPrimary = header('x-ratelimit-remaining') === '0' || header('ratelimit-remaining') === '0';
  const retry = header('retry-after');
  if (retry !== '') return { kind: isPrimary ? 'primary' : 'secondary', seconds: bounded(retryAfter(retry, now)) };
  if (isPrimary) {
    const reset = Number(header('x-ratelimit-reset') || header('ratelimit-reset'));
    return { kind: 'primary', seconds: bounded(reset > 0 ? reset - now / 1000 : UNSAID_SECONDS) };
  }
  if (status === 429 || /secondary rate limit|abuse detection/i.test(body))
    return { kind: 'secondary', seconds: UNSAID_SECONDS };
  return undefined;
}

/** `Retry-After` is a number of seconds or a date. */
function retryAfter(value: string, now: number): number {
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? UNSAID_SECONDS : (date - now) / 1000;
}

/** Clocks differ: a second more than the server says is never too early. */
function bounded(seconds: number): number {
  return Math.min(LONGEST_SECONDS, Math.max(0, Math.ceil(seconds)) + 1);
}
