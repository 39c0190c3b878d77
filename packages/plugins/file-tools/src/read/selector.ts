/** The part of a path that says which lines, and whether raw: `src/a.ts:50-99`, `:raw`, `:50+20:raw`. */
import { errors } from '../errors.ts';

/** What a selector asks for. */
export interface Selector {
  readonly raw: boolean;
  /** From 1. */
  readonly first?: number;
  /** Included; open-ended when absent. */
  readonly last?: number;
}

const RANGE = /^L?(\d+)(?:([-+])L?(\d+))?$/;

/** Splits a path from its selector. Other text behind a colon belongs to the path. */
export function splitSelector(given: string): { readonly path: string; readonly selector: Selector } {
  let path = given;
  let raw = false;
  let range: string | undefined;
  for (let rounds = 0; rounds < 2; rounds++) {
    const [, head, tail] = /^(.+):([^:/\\]+)$/s.exec(path) ?? [];
    if (head === undefined || tail === undefined) break;
    if (tail === 'raw' && !raw) raw = true;
    else if (RANGE.test(tail) && range === undefined) range = tail;
    else break;
    path = head;
  }
  return { path, selector: { raw, ...(range !== undefined && parseRange(range)) } };
}

function parseRange(selector: string): { first: number; last?: number } {
  const [, start, sign, end] = RANGE.exec(selector) ?? [];
  const refuse = (reason: string) => errors.create('FILE_TOOLS_SELECTOR', { selector, reason });
  const first = Number(start);
  if (first === 0) throw refuse('lines are 1-indexed, use :1');
  if (sign === undefined) return { first };
  const number = Number(end);
  if (sign === '+' && number < 1) throw refuse('the count must be at least 1');
  if (sign === '-' && number < first) throw refuse('the range ends before it starts');
  return { first, last: sign === '+' ? first + number - 1 : number };
}
