/** How pickers write times, folders and the beginnings of texts. */
import { plainLine } from '@tenon/wording';

const UNITS = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
  [Infinity, 'year'],
] as const;

/** How long ago something was: `5 minutes ago`. */
export function timeAgo(at: string | number, now: number = Date.now()): string {
  let amount = Math.max(0, (now - new Date(at).getTime()) / 1000);
  if (!Number.isFinite(amount) || amount < 60) return 'just now';
  for (const [most, unit] of UNITS) {
    if (amount < most) return `${Math.floor(amount)} ${unit}${Math.floor(amount) === 1 ? '' : 's'} ago`;
    amount /= most;
  }
  return '';
}

/** The most of a text that a row can show. */
const ROW_CHARACTERS = 400;

/** The beginning of a text on one line. */
export function firstWords(text: string): string {
  return plainLine(text.slice(0, ROW_CHARACTERS));
}
