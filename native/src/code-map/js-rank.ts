/** PageRank over "a file uses a name, the name is defined in files", as in crates/code-map/src/rank.rs. */
import type { Extract } from './js-extract.ts';

/** One file with its names, each with the mark of its language's family. */
export interface RankedFile extends Extract {
  readonly path: string;
  readonly language: string;
  readonly mark: string;
}

/** The weights of one question. */
export interface Ranks {
  readonly files: readonly number[];
  /** By marked name: what each of its definitions got. */
  readonly names: ReadonlyMap<string, number>;
  /** How many uses connect files. */
  readonly connections: number;
}

const DAMPING = 0.8;
const PRECISION = 1e-5;
const MOST_STEPS = 60;
const MOST_DEFINERS = 20;

/** Ranks all files, from the point of view of those of interest or of all alike. */
export function rank(files: readonly RankedFile[], focus: readonly number[]): Ranks {
  const definers = new Map<string, number[]>();
  files.forEach((file, at) => {
    for (const name of namesOf(file, true)) definers.set(name, [...(definers.get(name) ?? []), at]);
  });
  for (const [name, list] of definers) if (list.length > MOST_DEFINERS) definers.delete(name);
  const rows = files.map((file) => rowOf(file, definers));
  const home = files.map(() => (focus.length === 0 ? 1 / files.length : 0));
  for (const at of focus) home[at] = 1 / focus.length;
  let ranks = [...home];
  let scores = new Map<string, number>();
  for (let step = 0; step < MOST_STEPS; step += 1) {
    scores = new Map();
    let spread = 0;
    for (const [at, row] of rows.entries()) {
      const flow = DAMPING * (ranks[at] ?? 0);
      if (row.length === 0 || flow === 0) continue;
      spread += flow;
      for (const [name, share] of row) scores.set(name, (scores.get(name) ?? 0) + flow * share);
    }
    const rest = ranks.reduce((sum, value) => sum + value, 0) - spread;
    const next = home.map((share) => share * rest);
    for (const [name, score] of scores) {
      const places = definers.get(name) ?? [];
      scores.set(name, score / places.length);
      for (const at of places) next[at] = (next[at] ?? 0) + score / places.length;
    }
    const moved = next.reduce((sum, value, at) => sum + Math.abs(value - (ranks[at] ?? 0)), 0);
    ranks = next;
    if (moved < PRECISION) break;
  }
  return { files: ranks, names: scores, connections: rows.reduce((sum, row) => sum + row.length, 0) };
}

/** The uses of a file that others define, with the share of its weight that each gets. */
function rowOf(file: RankedFile, definers: ReadonlyMap<string, readonly number[]>): (readonly [string, number])[] {
  const own = namesOf(file, false);
  const row: [string, number][] = [];
  let total = 0;
  for (const [name, count] of file.uses) {
    const marked = file.mark + name;
    const places = definers.get(marked);
    if (places === undefined || own.has(marked)) continue;
    const weight = Math.sqrt(count) * Math.fround(telling(name) / places.length);
    total += weight;
    row.push([marked, Math.fround(weight)]);
  }
  return row.map(([name, weight]) => [name, Math.fround(weight / total)]);
}

/** The names that a file defines: all of them, or those that others can refer to. */
function namesOf({ definitions, mark }: RankedFile, offered: boolean): Set<string> {
  return new Set(definitions.filter(({ isPrivate }) => !(offered && isPrivate)).map(({ name }) => mark + name));
}

/** How much a use says by its name alone; see the crate. */
function telling(name: string): number {
  const bare = name.replace(/^_+/, '');
  const isCompound = bare.includes('_') || /[^A-Z][A-Z]/.test(bare);
  const weight = isCompound ? 1 : Buffer.byteLength(bare) < 8 ? 0.1 : 0.4;
  return Math.round((bare.length === name.length ? weight : weight * 0.1) * 100) / 100;
}
