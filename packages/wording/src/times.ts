/** Times as people say them. */
import { counted } from './writing.ts';

const UNITS = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
  [Infinity, 'year'],
] as const;

/** How long ago something was: `5 minutes ago`. What is no time, and what is yet to come, was `just now`. */
export function timeAgo(at: string | number, now: number = Date.now()): string {
  let amount = Math.max(0, (now - new Date(at).getTime()) / 1000);
  if (!Number.isFinite(amount) || amount < 60) return 'just now';
  for (const [most, unit] of UNITS) {
    if (amount < most) return `${counted(Math.floor(amount), unit)} ago`;
    amount /= most;
  }
  return '';
}
