/** Keys of normal mode as commands. A command is complete, or may become one, or is none. */

/** What changes a range. */
export type ViOperator = 'd' | 'c' | 'y';

/** Where a motion goes. `char` is what f, t, F and T look for. */
export interface ViMotion {
  readonly name: string;
  readonly char?: string;
}

/** A command that is complete. */
export type ViCommand =
  | { readonly kind: 'move'; readonly count?: number; readonly motion: ViMotion }
  | { readonly kind: 'operate'; readonly count?: number; readonly operator: ViOperator; readonly motion: ViMotion }
  | { readonly kind: 'object'; readonly count?: number; readonly operator: ViOperator; readonly object: string }
  | { readonly kind: 'lines'; readonly count?: number; readonly operator: ViOperator }
  | { readonly kind: 'simple'; readonly count?: number; readonly name: string; readonly char?: string };

/** What keys mean so far. */
export type ViReading = ViCommand | 'incomplete' | 'none';

const MOTIONS = new Set('hjklwbeWBE0^$G;, '.split(''));
const FINDS = new Set('ftFT'.split(''));
const SIMPLE = new Set('iaIAoOxXDCsSYpPuJ~.'.split(''));
const OBJECTS = new Set('wW"\'`()b[]{}B<>'.split(''));
const MOST_COUNT = 99_999;

/** Commands that are short for an operator and a motion. */
const SHORT: Readonly<Record<string, [ViOperator, string]>> = {
  x: ['d', 'l'],
  X: ['d', 'h'],
  D: ['d', '$'],
  C: ['c', '$'],
  s: ['c', 'l'],
};
const SHORT_LINES: Readonly<Record<string, ViOperator>> = { S: 'c', Y: 'y' };

/** Reads the keys that were typed since the last command. */
export function readCommand(keys: readonly string[]): ViReading {
  const [first, at] = readCount(keys, 0);
  const key = keys[at];
  if (key === undefined) return 'incomplete';
  if (key === 'd' || key === 'c' || key === 'y') return readOperation(keys, at + 1, key, first);
  const count = counted(first);
  const motion = readMotion(keys, at);
  if (motion === 'incomplete') return motion;
  if (motion !== 'none') return { kind: 'move', ...count, motion };
  if (key === 'r') {
    const char = keys[at + 1];
    return char === undefined ? 'incomplete' : { kind: 'simple', name: 'r', char, ...count };
  }
  const short = SHORT[key];
  if (short) return { kind: 'operate', operator: short[0], motion: { name: short[1] }, ...count };
  const lines = SHORT_LINES[key];
  if (lines) return { kind: 'lines', operator: lines, ...count };
  return SIMPLE.has(key) ? { kind: 'simple', name: key, ...count } : 'none';
}

function readOperation(keys: readonly string[], from: number, operator: ViOperator, first?: number): ViReading {
  const [second, at] = readCount(keys, from);
  const key = keys[at];
  if (key === undefined) return 'incomplete';
  const both = first === undefined && second === undefined ? undefined : (first ?? 1) * (second ?? 1);
  const count = counted(both);
  if (key === operator) return { kind: 'lines', operator, ...count };
  if (key === 'i' || key === 'a') {
    const object = keys[at + 1];
    if (object === undefined) return 'incomplete';
    return OBJECTS.has(object) ? { kind: 'object', operator, object: key + object, ...count } : 'none';
  }
  const motion = readMotion(keys, at);
  return typeof motion === 'string' ? motion : { kind: 'operate', operator, motion, ...count };
}

function readMotion(keys: readonly string[], at: number): ViMotion | 'incomplete' | 'none' {
  const key = keys[at] ?? '';
  const next = keys[at + 1];
  if (key === 'g') {
    if (next === undefined) return 'incomplete';
    return next === 'g' ? { name: 'gg' } : 'none';
  }
  if (FINDS.has(key)) return next === undefined ? 'incomplete' : { name: key, char: next };
  return MOTIONS.has(key) ? { name: key === ' ' ? 'l' : key } : 'none';
}

/** A count and where it ends; a zero at its start is a motion. */
function readCount(keys: readonly string[], from: number): [number | undefined, number] {
  let at = from;
  let count = 0;
  for (let key = keys[at]; key !== undefined && /^\d$/.test(key) && !(key === '0' && at === from); key = keys[at]) {
    count = Math.min(MOST_COUNT, count * 10 + Number(key));
    at += 1;
  }
  return [at === from ? undefined : count, at];
}

const counted = (count: number | undefined): { count?: number } => (count === undefined ? {} : { count });
