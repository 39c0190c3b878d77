/** What a terminal answers when it is asked for its colours (OSC 10 and 11). */
import type { Rgb } from './palette.ts';

/** Which colour was asked for, and what it is. */
export interface ColorReport {
  readonly which: 'foreground' | 'background';
  readonly color: Rgb;
}

// oxlint-disable-next-line no-control-regex -- the answer begins and ends with control characters
const REPORT = /^(?:\x1b\]|\x9d)1([01]);([^\x07\x1b\x9c]*)(?:\x07|\x1b\\|\x9c)?$/;
const PARTS = /^rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?$/i;
const HEX = /^#((?:[0-9a-f]{3}){1,4})$/i;

/** Reads `ESC ] 11 ; rgb:ffff/ffff/ffff BEL` and its other forms: 1 to 4 digits a part, `rgba:`, `#rgb` to 12 digits. */
export function parseColorReport(report: string): ColorReport | undefined {
  const match = REPORT.exec(report);
  const value = match?.[2] ?? '';
  const parts = PARTS.exec(value)?.slice(1, 4) ?? hexParts(value);
  if (!match || !parts) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map(scaled);
  return { which: match[1] === '0' ? 'foreground' : 'background', color: [red, green, blue] };
}

function hexParts(value: string): string[] | undefined {
  const digits = HEX.exec(value)?.[1];
  if (!digits) return undefined;
  const size = digits.length / 3;
  return [digits.slice(0, size), digits.slice(size, 2 * size), digits.slice(2 * size)];
}

/** A part of 1 to 4 digits as 0–255: `f` is as full as `ffff`. */
function scaled(digits: string): number {
  return Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255);
}
