/** How much of a rate limit is left, as headers say it. */

/** One limit: requests, tokens… */
export interface Headroom {
  readonly window: string;
  readonly remaining: number;
  readonly limit?: number;
  /** When it is full again: ISO 8601. */
  readonly resetsAt?: string;
}

/** `anthropic-ratelimit-input-tokens-remaining`, `x-ratelimit-remaining-requests`, `x-ratelimit-remaining`. */
const REMAINING = [/^anthropic-ratelimit-(.+)-remaining$/, /^x-ratelimit-remaining(?:-(.+))?$/];

/** All limits that headers speak of. */
export function headroom(headers: Headers, now = Date.now()): readonly Headroom[] {
  const found: Headroom[] = [];
  for (const [name, value] of headers) {
    const match = REMAINING.map((pattern) => pattern.exec(name)).find((each) => each !== null);
    const remaining = numberIn(value);
    if (!match || remaining === undefined) continue;
    const limit = numberIn(headers.get(name.replace('remaining', 'limit')));
    const resetsAt = timeIn(headers.get(name.replace('remaining', 'reset')), now);
    found.push({
      window: match[1] ?? 'requests',
      remaining,
      ...(limit !== undefined && { limit }),
      ...(resetsAt !== undefined && { resetsAt }),
    });
  }
  return found;
}

/** The same after a refusal: when no limit says that it is reached, requests have reached theirs. */
export function orUsedUp(found: readonly Headroom[], headers: Headers, now = Date.now()): readonly Headroom[] {
  if (found.some(({ remaining }) => remaining <= 0)) return found;
  const resetsAt = timeIn(headers.get('retry-after'), now);
  const others = found.filter(({ window }) => window !== 'requests');
  return [...others, { window: 'requests', remaining: 0, ...(resetsAt !== undefined && { resetsAt }) }];
}

/** For people: `: 3 of 50 requests left, again in 20 s`. */
export function headroomText(found: readonly Headroom[], headers: Headers): string {
  const windows = found.map(
    ({ window, remaining, limit }) =>
      `${remaining}${limit === undefined ? '' : ` of ${limit}`} ${window.replaceAll('-', ' ')} left`,
  );
  const wait = numberIn(headers.get('retry-after'));
  const parts = [...windows, ...(wait === undefined ? [] : [`try again in ${wait} s`])];
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

function numberIn(text: string | null): number | undefined {
  if (text === null || !/^\d+(?:\.\d+)?$/.test(text.trim())) return undefined;
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A date, seconds since 1970, or a time from now on: `6m0s`, `20ms`, `30`. */
function timeIn(text: string | null, now: number): string | undefined {
  if (text === null || text.trim() === '') return undefined;
  const number = numberIn(text);
  // Nobody waits for a year: such a number is a date.
  if (number !== undefined) return dateText(number > 31_536_000 ? number * 1_000 : now + number * 1_000);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length > 0 && parts.map(([part]) => part).join('') === text.trim())
    return dateText(now + parts.reduce((sum, [, digits, unit]) => sum + Number(digits) * (UNITS[unit ?? ''] ?? 0), 0));
  return dateText(Date.parse(text));
}

function dateText(time: number): string | undefined {
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : undefined;
}
