/** Numbers and times for people. */

const STEPS = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [7, 'day'],
  [4.345, 'week'],
  [12, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
] as const;

/** How long ago a time was. */
export function ago(time: string, now = Date.now()): string {
  const formatter = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  let amount = (Date.parse(time) - now) / 1_000;
  for (const [length, unit] of STEPS) {
    if (Math.abs(amount) < length) return formatter.format(Math.round(amount), unit);
    amount /= length;
  }
  return time;
}

/** A size with its unit. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** A count of tokens. */
export function tokens(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)}M`;
  return count < 10_000 ? String(count) : `${(count / 1_000).toFixed(0)}k`;
}

/** A count with its noun: `1 node`, `2 nodes`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** What something has used, as far as that is known. */
export function spent({ input, output }: { readonly input: number; readonly output: number }, cost?: number): string[] {
  const count = input + output;
  return [...(count > 0 ? [`${tokens(count)} tokens`] : []), ...(cost === undefined ? [] : [money(cost)])];
}

/** Dollars; small sums keep their digits. */
export function money(dollars: number): string {
  return `$${dollars.toFixed(dollars !== 0 && dollars < 0.1 ? 4 : 2)}`;
}
