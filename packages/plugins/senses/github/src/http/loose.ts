/** Reads answers of servers, which may hold anything. */
import { plainText } from '@tenon/wording';

/** A JSON object of which nothing is known. */
export type Loose = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one when it is none. */
export function object(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

/** The objects of a list; none when it is no list. */
export function objects(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(object) : [];
}

/** A text without control characters; numbers are written out, everything else is empty. */
export function text(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? plainText(value) : '';
}

/** A whole number; 0 when it is none. */
export function number(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}
