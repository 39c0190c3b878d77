/** The shape of a long source file: declarations with anchors, bodies left out. */
import type { Accelerators } from '@tenon/native';
import { fitLines } from '@tenon/tools/api';
import { numberedLines } from './text-view.ts';

const MAX_BYTES = 2 * 1024 * 1024;
const MAX_LINES = 20_000;

/** An outline ready to be shown. */
export interface OutlineView {
  readonly text: string;
  readonly summary: { readonly lines: number; readonly elidedSpans: number; readonly elidedLines: number };
}

/** Renders the outline, or gives undefined where there is nothing to leave out or nothing that can parse the text. */
export async function outlineView(
  { hashline, syntax }: Pick<Accelerators, 'hashline' | 'syntax'>,
  content: Buffer,
  {
    path,
    shownPath,
    fromLines,
    anchors,
  }: { readonly path: string; readonly shownPath: string; readonly fromLines: number; readonly anchors: boolean },
  signal: AbortSignal,
): Promise<OutlineView | undefined> {
  if (content.length > MAX_BYTES) return undefined;
  const total = hashline.hashLines(content).length;
  if (total < fromLines || total > MAX_LINES) return undefined;
  const outline = await syntax.outline({ content: content.toString('utf8'), path, signal });
  if (!outline.ok || outline.value.elidedLines === 0 || outline.value.lineCount !== total) return undefined;
  const rows = numberedLines(hashline, content, { first: 1, last: total }, anchors);
  const { segments, elidedLines, elidedRegions } = outline.value;
  const fitted = fitLines(renderSegments(rows, segments));
  // An outline that does not fit is no help; the first lines are.
  if (fitted.isCut) return undefined;
  const footer =
    `[${elidedLines} lines across ${elidedRegions} elided regions; ` +
    `read ${shownPath}:raw or a line range like ${shownPath}:1-${total} for verbatim content]`;
  return {
    text: [...fitted.lines, '', footer].join('\n'),
    summary: { lines: total, elidedSpans: elidedRegions, elidedLines },
  };
}

type Segment = { readonly startLine: number; readonly endLine: number; readonly elided?: string };

function renderSegments(rows: readonly string[], segments: readonly Segment[]): string[] {
  const out: string[] = [];
  let joined = 0;
  for (const [index, { startLine, endLine, elided }] of segments.entries()) {
    if (elided === undefined) {
      for (let line = Math.max(startLine, joined + 1); line <= endLine; line++) out.push(rows[line - 1] ?? '');
      continue;
    }
    const closer = segments[index + 1];
    // `} else {` closes one body and opens the next; it needs its own row then.
    const isAlsoOpener = closer?.startLine === closer?.endLine && segments[index + 2]?.elided === 'brace';
    const opener = out.at(-1);
    if (elided === 'brace' && closer && !isAlsoOpener && opener !== undefined && opener !== '...') {
      out[out.length - 1] = joinRows(opener, rows[closer.startLine - 1] ?? '');
      joined = closer.startLine;
    } else {
      out.push('...');
    }
  }
  return out;
}

/** `12ab|f() {` and `20cd|}` become `12ab..20cd|f() { ... }`: one row that names the whole range. */
function joinRows(opener: string, closer: string): string {
  const [start, end] = [opener.indexOf('|'), closer.indexOf('|')];
  const text = `${opener.slice(start + 1)} ... ${closer.slice(end + 1).trimStart()}`;
  return `${opener.slice(0, start)}..${closer.slice(0, end)}|${text}`;
}
