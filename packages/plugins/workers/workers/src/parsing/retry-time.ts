/** When a provider says that it may be asked again: in headers, in bodies, in sentences. */

const SECOND = 1000;
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^m(?:illi)?s(?:ec(?:ond)?s?)?$/, 1],
  [/^s(?:ec(?:ond)?s?)?$/, SECOND],
  [/^m(?:in(?:ute)?s?)?$/, 60 * SECOND],
  [/^h(?:(?:ou)?rs?)?$/, 3600 * SECOND],
  [/^d(?:ays?)?$/, 86_400 * SECOND],
  [/^w(?:eeks?)?$/, 604_800 * SECOND],
];

const LENGTH = String.raw`\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)\b`;
const LENGTHS = String.raw`${LENGTH}(?:[\s,]*(?:and\s+)?${LENGTH})*`;
const LATER = new RegExp(
  String.raw`(?:try(?:ing)? again|retry(?:ing)?|resets?|available(?: again)?|wait|reset)(?:\s+(?:again|your request))?(?:\s+(?:in|after|for))\s+(?:about\s+|approximately\s+)?(${LENGTHS})`,
  'i',
);
const DELAY = /"?retry[-_]?(?:delay|after)"?\s*[:=]\s*"?(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\b"?/i;
const MOMENT =
  /(?:try again|retry|resets?|reset|available(?: again)?|until)\s*(?:at|on|:|after|until)?\s*(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*(?:Z|UTC|[+-]\d\d:?\d\d)?)/i;
const EPOCH = /(?:limit reached\||resets?_?at"?\s*[:=]\s*"?|reset"?\s*[:=]\s*"?)(\d{10}|\d{13})\b/i;
const CLOCK =
  /(?:try again|retry|resets?|reset|available(?: again)?)\s*(?:at|on|after|until)?\s+(?:(?:on\s+)?((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2})(?:st|nd|rd|th)?,?(?:\s+(\d{4}),?)?\s*(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*(am|pm)?(?![\d.])\s*(?:\(([A-Za-z_]+(?:\/[A-Za-z_+-]+)*)\)|(UTC|GMT))?/i;

/** Nobody waits longer; a time beyond it was misread. */
const FARTHEST = 32 * 86_400 * SECOND;

/** The time as ISO 8601; undefined when nothing says it. Headers win over sentences. */
export function retryTime(
  said: { readonly text?: string; readonly headers?: Readonly<Record<string, string>> },
  now: Date,
): string | undefined {
  const time = inHeaders(said.headers ?? {}, now) ?? inText(said.text ?? '', now);
  if (time === undefined || !Number.isFinite(time) || time < now.getTime() - 60 * SECOND) return undefined;
  return time - now.getTime() > FARTHEST ? undefined : new Date(Math.max(time, now.getTime())).toISOString();
}

/** A length as people and programs write it (`1h 30m`, `34.07s`, `2 days and 3 hours`), in milliseconds. */
export function lengthOf(text: string): number | undefined {
  let sum: number | undefined;
  for (const [, count, unit = ''] of text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const factor = UNITS.find(([pattern]) => pattern.test(unit))?.[1];
    if (factor === undefined) return undefined;
    sum = (sum ?? 0) + Number(count) * factor;
  }
  return sum;
}

function inHeaders(headers: Readonly<Record<string, string>>, now: Date): number | undefined {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const ms = Number(lower.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms)) return now.getTime() + ms;
  const after = lower.get('retry-after');
  if (after !== undefined) return momentOf(after, now, 'seconds');
  const resets = [...lower]
    .filter(([name]) => /^(?:anthropic-|x-)?ratelimit-.*reset|^ratelimit-reset$/.test(name))
    .map(([, value]) => momentOf(value, now, 'epoch'))
    .filter((time) => time !== undefined);
  return resets.length === 0 ? undefined : Math.max(...resets);
}

function momentOf(value: string, now: Date, bare: 'seconds' | 'epoch'): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const count = Number(value);
    // A reset in seconds is small; one as a time of day since 1970 is not.
    return bare === 'seconds' || count < 1e9 ? now.getTime() + count * SECOND : epochOf(value);
  }
  const length = /^[\d.]+[a-z]/i.test(value) ? lengthOf(value) : undefined;
  if (length !== undefined) return now.getTime() + length;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

function epochOf(digits: string): number {
  return Number(digits) * (digits.length === 13 ? 1 : SECOND);
}

function inText(text: string, now: Date): number | undefined {
  const later = LATER.exec(text)?.[1];
  const length = later === undefined ? undefined : lengthOf(later);
  if (length !== undefined) return now.getTime() + length;
  const delay = DELAY.exec(text);
  if (delay) return now.getTime() + (lengthOf(`${delay[1]}${delay[2] ?? 's'}`) ?? 0);
  const epoch = EPOCH.exec(text)?.[1];
  if (epoch !== undefined) return epochOf(epoch);
  const moment = MOMENT.exec(text)?.[1];
  if (moment !== undefined) return Date.parse(moment.replace(' UTC', 'Z').replace(' ', 'T'));
  return onTheClock(text, now);
}

/** `resets 3pm (Europe/Berlin)`, `try again at Nov 20th, 2026 3:04 PM`: the next time that a clock shows it. */
function onTheClock(text: string, now: Date): number | undefined {
  const [, day, year, hours, minutes, half, place, universal] = CLOCK.exec(text) ?? [];
  if (hours === undefined || (half === undefined && minutes === undefined)) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  if (hour > 23 || Number(minutes ?? 0) > 59 || (half !== undefined && Number(hours) > 12)) return undefined;
  const zone = universal === undefined ? place : 'UTC';
  const here = wallClock(now, zone);
  if (!here) return undefined;
  const wanted = new Date(here);
  wanted.setUTCHours(hour, Number(minutes ?? 0), 0, 0);
  if (day !== undefined) {
    const date = new Date(`${day.replace('.', '')} ${year ?? here.getUTCFullYear()} UTC`);
    if (Number.isNaN(date.getTime())) return undefined;
    wanted.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  } else if (wanted.getTime() <= here.getTime()) {
    wanted.setUTCDate(wanted.getUTCDate() + 1);
  }
  return now.getTime() + (wanted.getTime() - here.getTime());
}

/** What a clock shows there, as if it were UTC; whole seconds of `now` are kept. Undefined for a zone that does not exist. */
function wallClock(now: Date, zone: string | undefined): Date | undefined {
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = new Intl.DateTimeFormat('en-US', {
      ...(zone !== undefined && { timeZone: zone }),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(now);
  } catch {
    // The place in brackets is none that the system knows; then the time cannot be told.
    return undefined;
  }
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  return new Date(
    Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) +
      (now.getTime() % SECOND),
  );
}
