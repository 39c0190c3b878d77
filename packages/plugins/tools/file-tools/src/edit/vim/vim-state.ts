/** What a headless vim remembers between keys and between calls. */
import { type Position, type Register, VimBuffer } from './vim-buffer.ts';
import type { CharSearch } from './vim-motions.ts';
import type { VimPattern } from './vim-pattern.ts';

/** How far `>` and `<` shift, and with what. */
export interface Shift {
  readonly width: number;
  readonly expand: boolean;
}

/** What was last changed, for `.`: the keys of the command, without its count. */
export interface LastChange {
  readonly keys: readonly string[];
  readonly count: number | undefined;
}

/** All of it. */
export interface VimState {
  readonly buffer: VimBuffer;
  readonly shift: Shift;
  readonly registers: Map<string, Register>;
  charSearch?: CharSearch;
  search?: { readonly pattern: VimPattern; readonly source: string; readonly isForward: boolean };
  lastChange?: LastChange;
  lastVisual?: { readonly from: Position; readonly to: Position; readonly isLinewise: boolean };
  /** The column that `j` and `k` try to keep; Infinity after `$`. */
  wantedCol?: number;
}

/** A new state over a text. */
export function openState(lines: readonly string[], shift: Shift): VimState {
  return { buffer: new VimBuffer(lines), shift, registers: new Map() };
}

/** Stores what an operator took. `name` is the register that was asked for. */
export function storeRegister(state: VimState, name: string, register: Register, isYank: boolean): void {
  if (name === '_') return;
  const { registers } = state;
  if (/[A-Z]/.test(name)) {
    const old = registers.get(name.toLowerCase());
    const isLinewise = register.isLinewise || (old?.isLinewise ?? false);
    const joined = !old
      ? register.lines
      : isLinewise
        ? [...old.lines, ...register.lines]
        : [...old.lines.slice(0, -1), (old.lines.at(-1) ?? '') + (register.lines[0] ?? ''), ...register.lines.slice(1)];
    registers.set(name.toLowerCase(), { lines: joined, isLinewise });
    registers.set('"', { lines: joined, isLinewise });
    return;
  }
  if (name !== '"') registers.set(name, register);
  else if (isYank) registers.set('0', register);
  registers.set('"', register);
}

/** The indentation that a text uses: tabs, or the smallest step between lines. */
export function detectShift(lines: readonly string[]): Shift {
  const steps = new Map<number, number>();
  let tabs = 0;
  let last = 0;
  for (const line of lines.slice(0, 2000)) {
    if (line.trim() === '') continue;
    if (line.startsWith('\t')) tabs++;
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    const step = Math.abs(indent - last);
    if (step > 1 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1);
    last = indent;
  }
  const [common] = [...steps].sort((a, b) => b[1] - a[1]);
  if (tabs > (common?.[1] ?? 0)) return { width: 8, expand: false };
  return { width: common?.[0] ?? 2, expand: true };
}
