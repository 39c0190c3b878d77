/** Applies the text edits of a server to one text, exactly. */
import { type Position, type Range, TextDocument } from '../text-document.ts';

/** One replacement. */
export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

/** Edits that cannot be carried out, in words. */
export class EditProblem extends Error {}

/** A replacement by offsets. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Where edits go in a text, in order. Edits at one place keep their order; edits that overlap are refused. */
export function replacementsOf(document: TextDocument, edits: readonly TextEdit[]): readonly Replacement[] {
  const { lineEnd } = document;
  const placed = edits.map(({ range, newText }, order) => {
    if (!isRange(range) || typeof newText !== 'string') throw new EditProblem('a text edit has no valid range');
    const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
    if (start > end) throw new EditProblem('a text edit ends before it starts');
    return { start, end, text: inLineEndsOf(lineEnd, newText), order };
  });
  placed.sort((a, b) => a.start - b.start || a.end - b.end || a.order - b.order);
  for (const [index, { start }] of placed.entries()) {
    const before = placed[index - 1];
    if (before && before.end > start) throw new EditProblem('text edits overlap');
  }
  return placed;
}

/** The text after the replacements. */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: inserted } of replacements) {
    parts.push(text.slice(at, start), inserted);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

/** The bytes of a file after edits; the byte order mark and everything outside of the edits stay as they are. */
export function editBytes(bytes: Uint8Array, edits: readonly TextEdit[]): Buffer {
  const document = TextDocument.ofBytes(bytes);
  if (!document) throw new EditProblem('the file is not UTF-8');
  return document.bytesWith(applyReplacements(document.text, replacementsOf(document, edits)));
}

/** Servers write LF; in a file that has only CRLF it would be the one odd line end. */
function inLineEndsOf(lineEnd: string | undefined, text: string): string {
  return lineEnd === '\r\n' && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text;
}

function isRange(range: unknown): range is Range {
  const { start, end } = (range ?? {}) as { start?: unknown; end?: unknown };
  return isPosition(start) && isPosition(end);
}

function isPosition(value: unknown): value is Position {
  const { line, character } = (value ?? {}) as { line?: unknown; character?: unknown };
  return isCount(line) && isCount(character);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
