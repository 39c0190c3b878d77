/** The most important definitions that fit a budget of tokens, as in crates/code-map/src/select.rs. */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { estimateTokens } from '../text/tokens.ts';
import type { MappedFile } from './contract.ts';
import type { Definition } from './js-extract.ts';
import type { RankedFile, Ranks } from './js-rank.ts';

/** What to choose from and how much. */
export interface Selection {
  readonly root: string;
  readonly scope: string;
  readonly focus: readonly number[];
  readonly budget: number;
  readonly signal: AbortSignal;
}

const MOST_PER_FILE = 12;
const MOST_PER_FOCUSED_FILE = 60;
const LONGEST_LINE = 140;
const NAME_WITHIN_LINES = 8;
/** So many definitions that do not fit end the choice. */
const MOST_MISSES = 20;

interface Candidate {
  readonly file: number;
  readonly def: number;
  readonly weight: number;
}

interface Chosen {
  readonly file: number;
  readonly defs: number[];
  readonly lines: readonly string[];
}

/** Chooses and gives the text. */
export async function select(
  files: readonly RankedFile[],
  ranks: Ranks,
  selection: Selection,
): Promise<{ readonly files: MappedFile[]; readonly text: string; readonly tokens: number }> {
  const chosen = await choose(files, ranks, selection);
  const rankOf = (at: number) => ranks.files[at] ?? 0;
  const pathOf = (at: number) => files[at]?.path ?? '';
  chosen.sort((a, b) => whole(rankOf(b.file)) - whole(rankOf(a.file)) || (pathOf(a.file) < pathOf(b.file) ? -1 : 1));
  const mapped: MappedFile[] = [];
  let text = '';
  for (const { file: at, defs, lines } of chosen) {
    const file = files[at];
    if (file === undefined) continue;
    defs.sort((a, b) => a - b);
    const part = `${file.path}\n${defs.map((def) => shown(file, def, lines)).join('')}`;
    if (estimateTokens(text) + estimateTokens(part) > selection.budget) continue;
    text += part;
    const symbols = defs.flatMap((def) => {
      const definition = file.definitions[def];
      if (definition === undefined) return [];
      const { name, kind, line } = definition;
      const rank = scoreOf(file, definition, ranks);
      return [{ name, kind, line, depth: depthOf(file, def), text: textOf(name, line, lines), rank }];
    });
    mapped.push({ path: file.path, language: file.language, rank: rankOf(at), symbols });
  }
  return { files: mapped, text, tokens: estimateTokens(text) };
}

async function choose(files: readonly RankedFile[], ranks: Ranks, selection: Selection): Promise<Chosen[]> {
  const { candidates, isSingle } = candidatesOf(files, ranks, selection);
  const chosen = new Map<number, Chosen>();
  let spent = 0;
  let misses = 0;
  for (const { file: at, def } of candidates) {
    selection.signal.throwIfAborted();
    const file = files[at];
    if (file === undefined) continue;
    const held = chosen.get(at);
    const most = isSingle ? Infinity : selection.focus.includes(at) ? MOST_PER_FOCUSED_FILE : MOST_PER_FILE;
    if (held !== undefined && held.defs.length >= most) continue;
    const lines = held?.lines ?? (await readLines(join(selection.root, file.path)));
    const wanted = withParents(file, def, held?.defs ?? []);
    if (wanted.length === 0) continue;
    let cost = wanted.reduce((sum, place) => sum + estimateTokens(shown(file, place, lines)), 0);
    if (held === undefined) cost += estimateTokens(file.path) + 1;
    if (spent + cost > selection.budget) {
      misses += 1;
      if (misses > MOST_MISSES) break;
      continue;
    }
    spent += cost;
    if (held === undefined) chosen.set(at, { file: at, defs: wanted, lines });
    else held.defs.push(...wanted);
  }
  return [...chosen.values()];
}

/** All definitions in scope, heaviest first. */
function candidatesOf(files: readonly RankedFile[], ranks: Ranks, { scope, budget }: Selection) {
  const candidates: Candidate[] = [];
  let inScope = 0;
  files.forEach((file, at) => {
    if (scope !== '' && file.path !== scope && !file.path.startsWith(`${scope}/`)) return;
    inScope += 1;
    const ofFile = Math.trunc(whole(ranks.files[at] ?? 0) / 1_000);
    file.definitions.forEach((definition, def) => {
      candidates.push({ file: at, def, weight: whole(scoreOf(file, definition, ranks)) * 1_000 + ofFile });
    });
  });
  const path = ({ file }: Candidate) => files[file]?.path ?? '';
  candidates.sort((a, b) => b.weight - a.weight || (path(a) < path(b) ? -1 : path(a) > path(b) ? 1 : a.def - b.def));
  return { candidates: candidates.slice(0, Math.min(Math.max(budget, 64), 50_000)), isSingle: inScope === 1 };
}

function scoreOf(file: RankedFile, { name, isPrivate }: Definition, ranks: Ranks): number {
  return isPrivate ? 0 : (ranks.names.get(file.mark + name) ?? 0);
}

/** Weights as whole numbers: sums in another order differ in their last bits, and the order of the map must not. */
function whole(value: number): number {
  return Math.round(value * 1e9);
}

/** A definition and those around it, as far as they are not there yet. */
function withParents(file: RankedFile, def: number, held: readonly number[]): number[] {
  const wanted: number[] = [];
  for (let at: number | undefined = def; at !== undefined; at = file.definitions[at]?.parent) {
    if (held.includes(at) || wanted.includes(at)) break;
    wanted.push(at);
  }
  return wanted;
}

function depthOf(file: RankedFile, def: number): number {
  let depth = 0;
  for (let at = file.definitions[def]?.parent; at !== undefined && depth <= 20; at = file.definitions[at]?.parent) {
    depth += 1;
  }
  return depth;
}

function shown(file: RankedFile, def: number, lines: readonly string[]): string {
  const definition = file.definitions[def];
  if (definition === undefined) return '';
  const indent = '  '.repeat(depthOf(file, def) + 1);
  return `${indent}${definition.line}: ${textOf(definition.name, definition.line, lines)}\n`;
}

/** The first line from the definition's start on that has its name. */
function textOf(name: string, line: number, lines: readonly string[]): string {
  const near = lines.slice(line - 1, line - 1 + NAME_WITHIN_LINES);
  const text = (near.find((candidate) => candidate.includes(name)) ?? name).trim().replace(/[{ \t]+$/, '');
  const letters = [...text.replaceAll(/\p{Cc}/gu, '')].slice(0, LONGEST_LINE);
  return letters.length === LONGEST_LINE ? `${letters.join('')}…` : letters.join('');
}

/** The lines of a plain file, none when it cannot be read any more. */
async function readLines(path: string): Promise<readonly string[]> {
  try {
    // It was a plain file when it was indexed; a link put in its place leads elsewhere.
    return (await lstat(path)).isFile() ? (await readFile(path, 'utf8')).split(/\r?\n/) : [];
  } catch {
    return []; // Gone since: its definitions are shown by their names.
  }
}
