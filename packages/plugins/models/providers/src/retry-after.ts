/** How long a provider asks to wait, from its headers or its words. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** "1m30s", "250ms", "6.2s" as milliseconds. */
export function durationMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text.trim()) return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit as string] as number), 0);
}

/** The wait in milliseconds, or nothing when the provider says nothing. */
export function retryAfterMs(
  headers: Readonly<Record<string, string | undefined>>,
  text: string,
  now = Date.now(),
): number | undefined {
  const wait = fromStandard(headers, now) ?? fromLimits(headers, now) ?? fromText(text);
  return wait === undefined ? undefined : Math.max(0, Math.round(wait));
}

function fromStandard(headers: Readonly<Record<string, string | undefined>>, now: number): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms)) return ms;
  const after = headers['retry-after'];
  if (after === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(after.trim())) return Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : date - now;
}

/** Rate limit headers name several limits; the used-up one that takes longest to come back decides. */
function fromLimits(headers: Readonly<Record<string, string | undefined>>, now: number): number | undefined {
  const waits: number[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || !/ratelimit.*reset|reset.*ratelimit/i.test(name)) continue;
    if (headers[name.replace('reset', 'remaining')] !== '0') continue;
    const wait = resetWait(value.trim(), now);
    if (wait !== undefined) waits.push(wait);
  }
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

/** A reset is a duration, a date, or a moment in seconds or milliseconds since 1970. */
function resetWait(value: string, now: number): number | undefined {
  const duration = durationMs(value);
  if (duration !== undefined) return duration;
  const number = Number(value);
  if (Number.isFinite(number)) return number > 1e12 ? number - now : number > 1e9 ? number * 1000 - now : number * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}

function fromText(text: string): number | undefined {
  const delay = /"retryDelay"\s*:\s*"([\d.]+s)"/.exec(text)?.[1];
  if (delay !== undefined) return durationMs(delay);
  // ChatGPT's Codex: when the window of the subscription opens again.
  const reset = /"resets_in_seconds"\s*:\s*(\d+)/.exec(text)?.[1];
  if (reset !== undefined) return Number(reset) * 1000;
  const [, amount, unit = 's'] = /(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?)\s*(ms|s|m)?/i.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] as number);
}
