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

/** A path and what stands behind it, not yet looked at: `:0` may be a wrong selector or the key of a row. */
export interface SplitPath {
  readonly path: string;
  readonly raw: boolean;
  readonly range?: string;
}

const RANGE = /^L?(\d+)(?:([-+])L?(\d+))?$/;

/** Splits off what looks like a selector. Other text behind a colon belongs to the path. */
export function splitPath(given: string): SplitPath {
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
  return { path, raw, ...(range !== undefined && { range }) };
}

/** Splits a path from its selector; refuses a selector that makes no sense. */
export function splitSelector(given: string): { readonly path: string; readonly selector: Selector } {
  const split = splitPath(given);
  return { path: split.path, selector: selectorOf(split) };
}

/** What a split path asks for; refuses what makes no sense. */
export function selectorOf({ raw, range }: Pick<SplitPath, 'raw' | 'range'>): Selector {
  return { raw, ...(range !== undefined && parseRange(range)) };
}

/**
 * Splits a URL from its selector. Where there can be a port, a number right behind the host is one: `http://localhost:3000`
 * is a page, `http://localhost:3000/:5` has a selector, and so has `artifact://3:50`.
 */
export function splitUrlSelector(given: string): { readonly url: string; readonly selector: Selector } {
  const { path, raw, range } = splitPath(given);
  const isHost = /^(?:https?|wss?):\/\/[^/?#]*$/i.test(path);
  const port = isHost ? /^:(\d{1,5})(?=:|$)/.exec(given.slice(path.length))?.[0] : undefined;
  if (port === undefined) return { url: path, selector: selectorOf({ raw, ...(range !== undefined && { range }) }) };
  return { url: path + port, selector: splitSelector(`x${given.slice(path.length + port.length)}`).selector };
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
