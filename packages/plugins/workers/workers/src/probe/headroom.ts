/** How much of a rate limit is left, as headers say it. */

/** One limit: requests, tokens… */
export interface Headroom {
  readonly window: string;
  readonly remaining: number;
  readonly limit?: number;
}

/** `anthropic-ratelimit-input-tokens-remaining`, `x-ratelimit-remaining-requests`, `x-ratelimit-remaining`. */
const REMAINING = [/^anthropic-ratelimit-(.+)-remaining$/, /^x-ratelimit-remaining(?:-(.+))?$/];

/** All limits that headers speak of. */
export function headroom(headers: Headers): readonly Headroom[] {
  const found: Headroom[] = [];
  for (const [name, value] of headers) {
    const match = REMAINING.map((pattern) => pattern.exec(name)).find((each) => each !== null);
    const remaining = numberIn(value);
    if (!match || remaining === undefined) continue;
    const limit = numberIn(headers.get(name.replace('remaining', 'limit')));
    found.push({ window: match[1] ?? 'requests', remaining, ...(limit !== undefined && { limit }) });
  }
  return found;
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
