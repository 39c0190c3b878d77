/** A text as lines that keep their endings, and edits of whole lines. */
import { errors } from '../errors.ts';
import { decoded, encoded, encodingOf } from '../text-encoding.ts';

/** What ends a line; empty for an open last line. */
export type LineEnding = '\n' | '\r\n' | '';

/** A text as lines. A byte order mark belongs to no line. */
export interface TextLines {
  readonly mark: string;
  readonly texts: readonly string[];
  readonly endings: readonly LineEnding[];
}

/** Lines `start` to before `end` (from 0) become `lines`; with `start` = `end` they are inserted. */
export interface LineEdit {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  /** Whether the text ends with a line ending after an edit of its last line; as before when absent. */
  readonly finalEnding?: boolean;
  /** An insert that belongs to the line above or below it; without, to the gap between both. */
  readonly beside?: 'above' | 'below';
}

/** The text of a file. One that does not survive decoding would be written back damaged. */
export function decodeText(content: Uint8Array, path: string): string {
  const encoding = encodingOf(content);
  if (encoding === undefined) throw errors.create('FILE_TOOLS_NOT_UTF8', { path });
  return decoded(content, encoding);
}

/** A text as the bytes of a file that holds `content` now. */
export function encodeLike(content: Uint8Array, text: string, path: string): Buffer {
  const encoding = encodingOf(content) ?? 'UTF-8';
  const bytes = encoded(text, encoding);
  if (!('unfit' in bytes)) return bytes;
  throw errors.create('FILE_TOOLS_ENCODING', { path, encoding, character: bytes.unfit });
}

/** Splits a text; joining gives it back. */
export function splitText(text: string): TextLines {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const texts: string[] = [];
  const endings: LineEnding[] = [];
  let from = mark.length;
  while (from < text.length) {
    const at = text.indexOf('\n', from);
    if (at < 0) {
      texts.push(text.slice(from));
      endings.push('');
      break;
    }
    const isReturn = at > from && text[at - 1] === '\r';
    texts.push(text.slice(from, isReturn ? at - 1 : at));
    endings.push(isReturn ? '\r\n' : '\n');
    from = at + 1;
  }
  return { mark, texts, endings };
}

/** The same lines, the last one with a line ending. */
export function withClosedEnd(text: TextLines): TextLines {
  const endings = text.endings.map((ending, index) => ending || text.endings[index - 1] || '\n');
  return { ...text, endings };
}

/** Lines as a model writes them: the last line ending closes the last line. */
export function payloadLines(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * The text after edits, which are free of overlaps. New lines take the endings of the lines they replace or stand next to; a text
 * without a last line ending stays without one.
 */
export function applyLineEdits({ mark, texts, endings }: TextLines, edits: readonly LineEdit[]): string {
  const ordered = edits
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => before(a.edit, b.edit) || a.order - b.order);
  const isOpen = endings.at(-1) === '';
  const rows: { text: string; ending: LineEnding }[] = [];
  let wantsFinal: boolean | undefined;
  let from = 0;
  const keep = (until: number): void => {
    for (; from < until; from++) rows.push({ text: texts[from] ?? '', ending: endings[from] ?? '' });
  };
  for (const { edit } of ordered) {
    const { start, end, lines } = edit;
    keep(start);
    const beside = endings[start] || endings[start - 1] || endings[0] || '\n';
    for (const [index, text] of lines.entries()) {
      const replaced = start + index < end ? endings[start + index] : undefined;
      rows.push({ text, ending: replaced || (end > start ? endings[end - 1] : undefined) || beside });
    }
    from = end;
    if (edit.finalEnding !== undefined && end === texts.length) wantsFinal = edit.finalEnding;
  }
  keep(texts.length);
  const isLastOpen = wantsFinal === undefined ? isOpen : !wantsFinal;
  for (const [index, row] of rows.entries()) {
    if (row.ending === '' && index < rows.length - 1) row.ending = rows[index - 1]?.ending || endings[0] || '\n';
  }
  const last = rows.at(-1);
  if (last && isLastOpen) last.ending = '';
  else if (last && last.ending === '') last.ending = rows.at(-2)?.ending || '\n';
  return mark + rows.map(({ text, ending }) => text + ending).join('');
}

/** An insert at the start of a replaced range comes first. */
function before(a: LineEdit, b: LineEdit): number {
  return a.start - b.start || a.end - b.end;
}

/** The first two edits that claim the same lines. */
export function overlapOf(edits: readonly LineEdit[]): readonly [LineEdit, LineEdit] | undefined {
  const ordered = [...edits].sort(before);
  for (let index = 1; index < ordered.length; index++) {
    const [previous, other] = [ordered[index - 1], ordered[index]];
    if (previous && other && other.start < previous.end) return [previous, other];
  }
  return undefined;
}
