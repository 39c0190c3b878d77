/** The outline of a parsed text: which lines to keep and which to leave out, so that its shape shows. */
import type { Node, TreeCursor } from 'web-tree-sitter';
import type { Outline, OutlineSegment } from './contract.ts';
import type { LanguageInfo } from './language-table.ts';
import type { SourceText } from './source-text.ts';

/** From how many lines on something is left out. */
export interface OutlineThresholds {
  readonly minBodyLines: number;
  readonly minLiteralLines: number;
  readonly minCommentLines: number;
}

/** What `outline` leaves out unless told otherwise. */
export const DEFAULT_THRESHOLDS: OutlineThresholds = { minBodyLines: 3, minLiteralLines: 6, minCommentLines: 6 };

interface Region {
  readonly start: number;
  readonly end: number;
  readonly elided: NonNullable<OutlineSegment['elided']>;
}

/** Computes the outline of a parsed text. */
export function outlineOf(
  root: Node,
  info: LanguageInfo,
  source: SourceText,
  thresholds: OutlineThresholds,
  firstErrorLine: number | undefined,
): Outline {
  const lineCount = source.lineCount;
  const regions = findRegions(root, info, source, thresholds).toSorted((left, right) => left.start - right.start);
  const segments: OutlineSegment[] = [];
  let next = 1;
  let elidedLines = 0;
  let elidedRegions = 0;
  for (const { start, end, elided } of regions) {
    if (start < next || end > lineCount) continue;
    if (start > next) segments.push({ startLine: next, endLine: start - 1 });
    segments.push({ startLine: start, endLine: end, elided });
    elidedLines += end - start + 1;
    elidedRegions += 1;
    next = end + 1;
  }
  if (next <= lineCount) segments.push({ startLine: next, endLine: lineCount });
  return {
    language: info.id,
    lineCount,
    elidedLines,
    elidedRegions,
    ...(firstErrorLine === undefined ? {} : { firstErrorLine }),
    segments,
  };
}

function findRegions(root: Node, info: LanguageInfo, source: SourceText, thresholds: OutlineThresholds): Region[] {
  const spec = info.outline;
  const bodies = new Set(spec.bodies);
  const transparent = new Set(spec.transparent);
  const comments = new Set(spec.comments);
  const literals = new Set(spec.literals);
  const literalDepthLimit = spec.literalDepth ?? 0;
  const regions: Region[] = [];
  const commentRuns: [first: number, last: number][] = [];
  const ancestors: { kind: string; literalDepth: number }[] = [];
  const cursor = root.walk();
  for (;;) {
    const parent = ancestors.at(-1);
    const depth = parent?.literalDepth ?? 0;
    const kind = cursor.nodeIsNamed ? cursor.nodeType : '';
    let innerDepth = depth;
    let enter = true;
    if (comments.has(kind)) {
      enter = false;
      addComment(source, cursor.currentNode, commentRuns);
    } else if (bodies.has(kind) && !transparent.has(parent?.kind ?? '')) {
      enter = false;
      addRegion(regions, cursor.currentNode, spec.indent === true, thresholds.minBodyLines);
    } else if (literals.has(kind)) {
      enter = depth < literalDepthLimit;
      innerDepth += 1;
      if (!enter) addRegion(regions, cursor.currentNode, spec.indent === true, thresholds.minLiteralLines);
    }
    const nodeType = cursor.nodeType;
    if (enter && cursor.gotoFirstChild()) {
      ancestors.push({ kind: nodeType, literalDepth: innerDepth });
      continue;
    }
    if (!gotoNext(cursor, ancestors)) break;
  }
  cursor.delete();
  for (const [first, last] of commentRuns) {
    if (last + 1 - first >= thresholds.minCommentLines && last - first >= 2) {
      regions.push({ start: first + 1, end: last - 1, elided: 'comment' });
    }
  }
  return regions;
}

/** Moves to the next node that is not inside the current one; false when the walk is over. */
export function gotoNext(cursor: TreeCursor, ancestors: unknown[]): boolean {
  while (!cursor.gotoNextSibling()) {
    if (!cursor.gotoParent()) return false;
    ancestors.pop();
  }
  return true;
}

function addRegion(regions: Region[], node: Node, indent: boolean, minLines: number): void {
  const first = node.startPosition.row + 1;
  const last = lastLine(node);
  const before = indent ? node.previousSibling : null;
  const ownLines = indent && (before === null || lastLine(before) < first);
  const start = ownLines ? first : first + 1;
  const end = ownLines ? last : Math.max(0, last - 1);
  if (end + 1 >= start + Math.max(1, minLines)) regions.push({ start, end, elided: ownLines ? 'indent' : 'brace' });
}

function lastLine(node: Node): number {
  const { row, column } = node.endPosition;
  return column === 0 && node.endIndex > node.startIndex ? row : row + 1;
}

/** Joins comments that stand alone on consecutive lines. */
function addComment(source: SourceText, node: Node, runs: [number, number][]): void {
  const { row } = node.startPosition;
  const before = source.text.slice(source.lineStarts[row] ?? 0, node.startIndex);
  if (!/^[ \t]*$/.test(before)) return;
  const first = row + 1;
  const last = lastLine(node);
  const run = runs.at(-1);
  if (run !== undefined && run[1] + 1 === first) run[1] = last;
  else runs.push([first, last]);
}
