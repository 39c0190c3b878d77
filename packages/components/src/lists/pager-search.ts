/** Search in rows that are made when they are looked at. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListText } from './look.ts';
import type { PagerRows } from './pager.ts';

/** How many rows are looked at before keys get their turn. */
const AT_ONCE = 1_000;

/** How a search goes on. */
export interface RowSearch {
  readonly from: number;
  readonly step: 1 | -1;
  readonly text: ListText;
  readonly signal: AbortSignal;
}

/** The next row with the needle (in small letters), around the ends if need be; nothing when there is none. */
export async function findRow(
  rows: PagerRows,
  needle: string,
  { from, step, text, signal }: RowSearch,
): Promise<number | undefined> {
  const { length } = rows;
  for (let count = 0; count < length && !signal.aborted; count += 1) {
    const at = (((from + count * step) % length) + length) % length;
    if (text.sanitize(rows.row(at), { keepStyle: false }).toLowerCase().includes(needle)) return at;
    if (count % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return undefined;
}

/** The columns of a row that hold the needle: from, to. */
export function hitColumns(row: string, needle: string, text: ListText): [number, number][] {
  if (needle === '') return [];
  const plain = text.sanitize(row, { keepStyle: false });
  const small = plain.toLowerCase();
  // A few letters change their length in small; then nobody knows where the hits are.
  if (small.length !== plain.length) return [];
  const hits: [number, number][] = [];
  for (let at = small.indexOf(needle); at >= 0; at = small.indexOf(needle, at + needle.length)) {
    const from = text.width(plain.slice(0, at));
    const to = from + text.width(plain.slice(at, at + needle.length));
    if (to > from && from >= (hits.at(-1)?.[1] ?? 0)) hits.push([from, to]);
  }
  return hits;
}
