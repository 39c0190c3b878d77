/** Where known values stand in a text, also when a program has broken it into lines. */
import type { KnownValues } from './known-values.ts';

/** A known value in a text, and how far it goes. */
export interface FoundValue {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/** Where values stand as they are. */
export function found(values: KnownValues, text: string): FoundValue[] {
  return values.find(text).map(({ start, text: value }) => ({ start, end: start + value.length, value }));
}

/** `base64` and `openssl` write lines of 76 or 64 characters, so a value seldom stands in one of them. */
const ENCODED_LINES = /[A-Za-z0-9+/]{60,76}(?:\r?\n[A-Za-z0-9+/]{1,76}(?![A-Za-z0-9+/]))+/g;

/** Where values stand that go over the end of an encoded line. */
export function foundInLines(values: KnownValues, text: string): FoundValue[] {
  if (!text.includes('\n')) return [];
  return [...text.matchAll(ENCODED_LINES)].flatMap(({ 0: block, index }) => {
    const places: number[] = [];
    for (let at = 0; at < block.length; at++) if (block[at] !== '\n' && block[at] !== '\r') places.push(index + at);
    return found(values, block.replace(/[\r\n]/g, '')).map(({ start, end, value }) => ({
      start: places[start] ?? 0,
      end: (places[end - 1] ?? 0) + 1,
      value,
    }));
  });
}
