/** Finds where hunks belong in a file: exactly, or as closely as can be said without guessing. */
import { errors } from '../errors.ts';
import { otherThanCodex } from './codex-places.ts';
import { type Closeness, CONFIDENCE, findLines, findSimilar, foldLine } from './fuzzy-lines.ts';
import type { Hunk, HunkChange } from './hunks.ts';
import { IndentMap, indentOf } from './reindent.ts';
import type { LineEdit } from './text-lines.ts';

/** How close a match must be for hunks to be placed. */
export type Placing = 'close' | 'fuzzy';

/** A hunk at its place. */
interface Placed {
  readonly at: number;
  readonly hunk: Hunk;
  readonly how: Closeness | 'less-context';
  readonly confidence: number;
}

interface Candidates {
  readonly how: Placed['how'];
  readonly confidence: number;
  readonly hunk: Hunk;
  readonly places: readonly number[];
}

/** What is known of the file in which hunks are placed. */
export interface PlaceContext {
  readonly path: string;
  /** The lines are what the session saw: line numbers of headers mean something, and nobody's change can be lost. */
  readonly isKnown: boolean;
  readonly placing: Placing;
  /** Refuses what Codex would do otherwise: it writes new lines with the indentation they have, and those without context to the end. */
  readonly asCodex?: boolean;
}

/** Most context lines that may be wrong on each side. */
const MAX_DROPPED = 2;
/** How sure a match is without one and without two of them. */
const LESS_CONTEXT = [0.9, 0.85];

/** The hunks as edits of lines, with what was not exact about them. */
export function placeHunks(
  lines: readonly string[],
  hunks: readonly Hunk[],
  context: PlaceContext,
): { readonly edits: readonly LineEdit[]; readonly warnings: readonly string[] } {
  const candidates = hunks.map((hunk, index) => candidatesOf(lines, hunk, index, context));
  const placed = candidates.map((one, index) => choose(candidates, index, one, context));
  if (context.asCodex) {
    const differing = otherThanCodex(lines, hunks, placed);
    if (differing) throw errors.create('FILE_TOOLS_HUNK_REPEATED', { ...differing, path: context.path, count: 2 });
  }
  const warnings = placed.flatMap((one, index) => warningOf(one, index));
  const edits = placed.map((placedHunk) => editsOf(lines, placedHunk, context));
  const failed = edits.findIndex((list) => list === undefined);
  if (failed >= 0) {
    const hint = ' Its lines are there, but with other indentation, and that of the new lines cannot be told from it.';
    throw errors.create('FILE_TOOLS_HUNK_NOT_FOUND', { number: failed + 1, path: context.path, hint });
  }
  checkOverlaps(placed, context.path);
  return { edits: edits.flatMap((list) => list ?? []), warnings };
}

function candidatesOf(lines: readonly string[], hunk: Hunk, index: number, context: PlaceContext): Candidates {
  const number = index + 1;
  if (hunk.old.length === 0) return insertion(lines, hunk, number, context);
  const levels: readonly ('exact' | 'loose' | 'indent')[] =
    context.placing === 'close' ? ['exact', 'loose'] : ['exact', 'loose', 'indent'];
  for (const how of levels) {
    for (const variant of [hunk, withoutBlankEnd(hunk)]) {
      const places = variant ? narrow(lines, variant, findLines(lines, variant.old, how)) : [];
      if (variant && places.length > 0) return { how, confidence: CONFIDENCE[how], hunk: variant, places };
    }
  }
  const fuzzy = context.placing === 'fuzzy' ? fuzzyCandidates(lines, hunk, context) : undefined;
  if (fuzzy) return fuzzy;
  throw errors.create('FILE_TOOLS_HUNK_NOT_FOUND', { number, path: context.path, hint: hintFor(lines, hunk) });
}

/** Outer context may be wrong: it is not written. Removed lines may be only where nobody's change is lost with them. */
function fuzzyCandidates(lines: readonly string[], hunk: Hunk, context: PlaceContext): Candidates | undefined {
  for (let dropped = 1; dropped <= MAX_DROPPED; dropped++) {
    const variant = withLessContext(hunk, dropped);
    if (!variant || weightOf(variant) < 2) break;
    const places = narrow(lines, variant, findLines(lines, variant.old, 'loose'));
    if (places.length > 0)
      return { how: 'less-context', confidence: LESS_CONTEXT[dropped - 1] ?? 0.8, hunk: variant, places };
  }
  const similar = context.isKnown ? findSimilar(lines, hunk.old) : undefined;
  if (!similar || narrow(lines, hunk, [similar.at]).length === 0) return undefined;
  return { how: 'similar', confidence: similar.confidence, hunk, places: [similar.at] };
}

/** A hunk of added lines only goes behind the line it names, or to the end of the file. */
function insertion(lines: readonly string[], hunk: Hunk, number: number, context: PlaceContext): Candidates {
  const { path, isKnown, asCodex = false } = context;
  const base = { how: 'exact' as const, confidence: 1, hunk };
  if (hunk.anchors.length > 0) {
    const scopes = scopesOf(lines, hunk.anchors);
    if (scopes.length === 0) {
      const hint = ` The line "${hunk.anchors.at(-1)?.slice(0, 120)}" is not there.`;
      throw errors.create('FILE_TOOLS_HUNK_NOT_FOUND', { number, path, hint });
    }
    const places = scopes.map(({ start }) => start);
    if (asCodex && !places.every((at) => at === lines.length)) {
      const hint = ' It has no line of the file; add the line before or after the new ones as context.';
      throw errors.create('FILE_TOOLS_HUNK_NOT_FOUND', { number, path, hint });
    }
    return { ...base, places };
  }
  const isNumbered = hunk.line !== undefined && isKnown && hunk.line <= lines.length;
  return { ...base, places: [isNumbered ? (hunk.line ?? 0) : lines.length] };
}

function narrow(lines: readonly string[], hunk: Hunk, places: readonly number[]): readonly number[] {
  const atEnd = hunk.atEnd ? places.filter((at) => at + hunk.old.length === lines.length) : places;
  if (hunk.anchors.length === 0 || atEnd.length === 0) return atEnd;
  const scopes = scopesOf(lines, hunk.anchors);
  const inside = atEnd.filter((at) => scopes.some(({ start, end }) => at >= start - 1 && at < end));
  return inside.length > 0 ? inside : atEnd.filter((at) => scopes.some(({ start }) => at >= start));
}

/** The lines behind each line that fits the last anchor, up to where its indentation ends. */
function scopesOf(lines: readonly string[], anchors: readonly string[]): { start: number; end: number }[] {
  let scopes = [{ start: 0, end: lines.length }];
  for (const anchor of anchors) {
    const wanted = foldLine(anchor, 'indent');
    const isWhole = lines.some((line) => foldLine(line, 'indent') === wanted);
    const fits = (line: string) =>
      isWhole ? foldLine(line, 'indent') === wanted : foldLine(line, 'indent').includes(wanted);
    scopes = scopes.flatMap(({ start, end }) => {
      const inner: { start: number; end: number }[] = [];
      for (let at = start; at < end; at++)
        if (fits(lines[at] ?? '')) inner.push({ start: at + 1, end: scopeEnd(lines, at, end) });
      return inner;
    });
  }
  return scopes;
}

/** Closing brackets on the anchor's own level still belong to it. */
function scopeEnd(lines: readonly string[], anchor: number, limit: number): number {
  const depth = indentOf(lines[anchor] ?? '').length;
  for (let at = anchor + 1; at < limit; at++) {
    const line = lines[at] ?? '';
    const isOutside = line.trim() !== '' && indentOf(line).length <= depth && !/^\s*[\])}]/.test(line);
    if (isOutside && !/^\s*\{/.test(line)) return at;
  }
  return limit;
}

/** One place, or a refusal. Numbers of the header and the order of hunks help where the text alone does not. */
function choose(all: readonly Candidates[], index: number, one: Candidates, { path, isKnown }: PlaceContext): Placed {
  const { hunk, how, confidence } = one;
  let { places } = one;
  if (places.length > 1 && isKnown && hunk.line !== undefined) {
    const named = places.filter((at) => at === (hunk.line ?? 0) - 1);
    if (named.length === 1) places = named;
  }
  if (places.length > 1) {
    const before = all.slice(0, index).findLast((other) => other.places.length === 1);
    const after = all.slice(index + 1).find((other) => other.places.length === 1);
    const from = before ? (before.places[0] ?? 0) + before.hunk.old.length : 0;
    const until = after?.places[0] ?? Infinity;
    const between = places.filter((at) => at >= from && at + hunk.old.length <= until);
    if (between.length === 1) places = between;
  }
  const [at] = places;
  if (at === undefined || places.length > 1) {
    const lines = one.places.slice(0, 10).map((place) => place + 1);
    throw errors.create('FILE_TOOLS_HUNK_REPEATED', { number: index + 1, path, count: one.places.length, lines });
  }
  return { at, hunk, how, confidence };
}

function warningOf({ at, how, confidence }: Placed, index: number): string[] {
  if (how === 'exact') return [];
  const difference = {
    loose: 'blanks at line ends or typographic quotes differ',
    indent: 'the indentation differs',
    similar: 'the text is similar, not the same',
    'less-context': 'some context lines differ',
  }[how];
  return [
    `Hunk ${index + 1} is not exact: it fits line ${at + 1} with ${Math.floor(confidence * 100)}% confidence (${difference}).`,
  ];
}

function editsOf(
  lines: readonly string[],
  { at, hunk, how }: Placed,
  { asCodex = false }: PlaceContext,
): LineEdit[] | undefined {
  const indents =
    how === 'indent' || how === 'similar'
      ? IndentMap.learn(hunk.old.map((line, index) => [line, lines[at + index] ?? ''] as const))
      : undefined;
  const needsIndents = how === 'indent' || how === 'similar';
  const edits: LineEdit[] = [];
  for (const change of hunk.changes) {
    const added = needsIndents ? indents?.apply(change.added) : change.added;
    if (!added || (asCodex && added.some((line, index) => line !== change.added[index]))) return undefined;
    const start = at + change.at;
    const end = start + change.removed;
    const isLast = end === lines.length && hunk.finalEnding !== undefined;
    edits.push({ start, end, lines: added, ...(isLast && { finalEnding: hunk.finalEnding ?? true }) });
  }
  return edits;
}

function checkOverlaps(placed: readonly Placed[], path: string): void {
  const claimed = placed
    .flatMap(({ at, hunk }, index) =>
      hunk.changes.map((change) => ({
        start: at + change.at,
        end: at + change.at + change.removed,
        number: index + 1,
      })),
    )
    .sort((a, b) => a.start - b.start || a.end - b.end);
  for (const [index, claim] of claimed.entries()) {
    const last = claimed[index - 1];
    if (
      last &&
      (claim.start < last.end || (claim.number !== last.number && claim.start === last.start && claim.end === last.end))
    ) {
      throw errors.create('FILE_TOOLS_HUNK_OVERLAP', { first: last.number, second: claim.number, path });
    }
  }
}

function shifted(hunk: Hunk, from: number, until: number): Hunk {
  const changes: HunkChange[] = hunk.changes.map((change) => ({ ...change, at: change.at - from }));
  return {
    ...hunk,
    old: hunk.old.slice(from, until),
    changes,
    ...(hunk.line !== undefined && { line: hunk.line + from }),
  };
}

/** Empty lines at the end of a hunk are often only the end of the text around it. */
function withoutBlankEnd(hunk: Hunk): Hunk | undefined {
  if (hunk.contextAfter === 0 || hunk.old.at(-1) !== '' || hunk.old.length === 1) return undefined;
  return shifted(hunk, 0, hunk.old.length - 1);
}

function withLessContext(hunk: Hunk, dropped: number): Hunk | undefined {
  const from = Math.min(dropped, hunk.contextBefore);
  const until = hunk.old.length - Math.min(dropped, hunk.contextAfter);
  return (from > 0 || until < hunk.old.length) && until > from ? shifted(hunk, from, until) : undefined;
}

function weightOf({ old }: Hunk): number {
  return old.filter((line) => /[\p{L}\p{N}]/u.test(line)).length;
}

function hintFor(lines: readonly string[], { old }: Hunk): string {
  const known = new Set(lines.map((line) => line.trim()));
  const missing = old.find((line) => line.trim() !== '' && !known.has(line.trim()));
  if (missing !== undefined) return ` This line of it is not there: "${missing.trim().slice(0, 120)}".`;
  return ' Its lines are there, but not in this order or not together.';
}
