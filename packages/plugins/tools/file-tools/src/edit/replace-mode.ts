import type { Accelerators } from '@tenon/native';
import type { EditCall, EditFile, PlannedEdit } from '../api.ts';
import { errors } from '../errors.ts';
import type { ModeWork } from './modes.ts';
import { EditedText } from './carry.ts';
import { withEndingsOf } from './replaced-endings.ts';
import { findText, hintFor, type TextEdit } from './replace-match.ts';
import { lineChanges } from './line-changes.ts';
import { pathsOfEdits } from './patch-mode.ts';
import { applyLineEdits, type LineEdit, splitText } from './text-lines.ts';
import { SearchedText, type Span } from './text-match.ts';

interface Replacement extends Span {
  /** The number of the edit, from 1. */
  readonly edit: number;
  readonly text: string;
}

/** Edits that give old and new text. */
export function createReplaceMode(hashline: () => Promise<Accelerators['hashline']>): ModeWork {
  return {
    touches: (input) => ({ writes: pathsOfEdits(input) }),
    async plan(input, call) {
      const accelerator = await hashline();
      const byFile = await groupByFile(input as unknown as ReplaceInput, call);
      const edits: PlannedEdit[] = [];
      for (const [file, list] of byFile) edits.push(planFile(file, list, accelerator));
      return { edits };
    },
    completePart(input) {
      const entries = Array.isArray(input['edits']) ? (input['edits'] as unknown[]) : [];
      const edits = entries.filter(
        (edit): edit is TextEdit =>
          typeof edit === 'object' && edit !== null && 'old_text' in edit && edit.old_text !== '' && 'new_text' in edit,
      );
      return typeof input['path'] === 'string' && edits.length > 0 ? { ...input, edits } : undefined;
    },
  };
}

interface ReplaceInput {
  readonly path: string;
  readonly edits: readonly (TextEdit & { readonly path?: string })[];
}

type NumberedEdit = TextEdit & { readonly number: number };

async function groupByFile(
  { path, edits }: ReplaceInput,
  call: EditCall,
): Promise<ReadonlyMap<EditFile, readonly NumberedEdit[]>> {
  const byFile = new Map<EditFile, NumberedEdit[]>();
  for (const [index, edit] of edits.entries()) {
    const file = await call.file(edit.path ?? path);
    const list = byFile.get(file) ?? [];
    list.push({ ...edit, number: index + 1 });
    byFile.set(file, list);
  }
  return byFile;
}

function planFile(file: EditFile, list: readonly NumberedEdit[], hashline: Accelerators['hashline']): PlannedEdit {
  const { content, shownPath } = file;
  if (!content) throw errors.create('FILE_TOOLS_NOT_FOUND', { path: shownPath });
  const text = new EditedText(file, content, hashline);
  const warnings: string[] = [];
  const after = text.hasDrifted ? planDrifted(text, list, warnings) : planKnown(text, list, warnings);
  const bytes = text.encode(after);
  if (bytes.equals(content)) throw errors.create('FILE_TOOLS_NO_CHANGE', { path: shownPath });
  return { file, after: bytes, warnings };
}

/** The file is what was read, or nobody knows what was read: the text is searched in it. */
function planKnown(text: EditedText, list: readonly NumberedEdit[], warnings: string[]): string {
  const path = text.file.shownPath;
  const searched = new SearchedText(text.text);
  const planned = list.flatMap((edit) => replacements(searched, edit, text.isKnown, path, warnings));
  return applyAll(text.text, planned, path);
}

/**
 * The file is not what was read any more. What the edit means is worked out in what was read, and carried over by proof. Only a text that was
 * not there then, and is there exactly once now, must come from a newer look at the file.
 */
function planDrifted(text: EditedText, list: readonly NumberedEdit[], warnings: string[]): string {
  const path = text.file.shownPath;
  const seen = new SearchedText(text.seenText);
  const now = new SearchedText(text.text);
  const fresh: Replacement[] = [];
  const older: Replacement[] = [];
  for (const edit of list) {
    const isFresh = edit.all === true || seen.find(edit.old_text, 'exact').length === 0;
    const isThere = isFresh && edit.old_text !== '' && now.find(edit.old_text, 'exact').length > 0;
    if (isThere) fresh.push(...replacements(now, edit, false, path, warnings));
    else older.push(...replacements(seen, edit, true, path, warnings));
  }
  applyAll(text.seenText, older, path);
  const numbers: (number | undefined)[] = [];
  const wanted = older.flatMap((replacement) => {
    const edits = smallestEdits(text.seen.texts, lineEditOf(text.seenText, replacement));
    numbers.push(...edits.map(() => replacement.edit));
    return edits;
  });
  const carried = text.carry(wanted);
  warnings.push(...(older.length > 0 ? carried.warnings : []));
  numbers.push(...fresh.map(({ edit }) => edit));
  const lines = [...carried.edits, ...fresh.map((replacement) => lineEditOf(text.text, replacement))];
  const sorted = lines.map((edit, index) => ({ edit, number: numbers[index] }));
  sorted.sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end);
  for (const [index, { edit, number }] of sorted.entries()) {
    const last = sorted[index - 1];
    if (last && edit.start < last.edit.end) {
      throw errors.create('FILE_TOOLS_TEXT_OVERLAP', { first: last.number, second: number, path });
    }
  }
  return applyLineEdits(text.now, lines);
}

function replacements(
  text: SearchedText,
  edit: NumberedEdit,
  mayBeSimilar: boolean,
  path: string,
  warnings: string[],
): Replacement[] {
  const { old_text: wanted, all = false, number } = edit;
  if (wanted === '') throw errors.create('FILE_TOOLS_TEXT_EMPTY', { number });
  const matches = findText(text, edit, mayBeSimilar);
  if (!matches) throw errors.create('FILE_TOOLS_TEXT_NOT_FOUND', { number, path, hint: hintFor(text, wanted) });
  if (matches.spans.length > 1 && !all) {
    const lines = matches.spans.slice(0, 10).map(({ start }) => text.lineOf(start));
    const how = matches.how === 'exact' ? '' : `, not exactly (${matches.difference})`;
    throw errors.create('FILE_TOOLS_TEXT_REPEATED', { number, path, count: matches.spans.length, lines, how });
  }
  if (matches.how !== 'exact') {
    const line = text.lineOf(matches.spans[0]?.start ?? 0);
    const percent = Math.floor(matches.confidence * 100);
    warnings.push(
      `Edit ${number} is not exact: it fits line ${line} with ${percent}% confidence (${matches.difference}).`,
    );
  }
  return withoutOverlaps(matches.spans).map((span) => ({
    start: span.start,
    end: span.end,
    edit: number,
    text: withEndingsOf(text.original.slice(span.start, span.end), span.text, text.endingAt(span.start)),
  }));
}

/** For `all`: of places that overlap the first one counts. */
function withoutOverlaps<S extends Span>(spans: readonly S[]): S[] {
  let from = 0;
  return spans.filter(({ start, end }) => {
    if (start < from) return false;
    from = end;
    return true;
  });
}

/** The same change as one of whole lines. */
function lineEditOf(text: string, { start, end, text: substitute }: Replacement): LineEdit {
  const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
  const head = text.slice(from, start) + substitute;
  const endsWhole = (end === 0 || text[end - 1] === '\n') && end > from && (head === '' || head.endsWith('\n'));
  const next = text.indexOf('\n', end);
  const until = endsWhole ? end : next < 0 ? text.length : next + 1;
  const whole = head + text.slice(end, until);
  const mark = text.startsWith('\uFEFF') ? 1 : 0;
  const startLine = countLines(text, from);
  const endLine = startLine + splitText(text.slice(Math.max(from, mark), until)).texts.length;
  return {
    start: startLine,
    end: endLine,
    lines: splitText(from < mark ? whole.slice(mark) : whole).texts,
    // When all of the text goes, what is there by now keeps its own end.
    ...(until === text.length &&
      !(whole === '' && from <= mark) && {
        finalEnding: whole === '' ? text[from - 1] === '\n' : whole.endsWith('\n'),
      }),
  };
}

/** Only the lines that differ: what stands around them in the old text says where, and is not written. */
function smallestEdits(texts: readonly string[], edit: LineEdit): LineEdit[] {
  const { finalEnding } = edit;
  return certainChanges(texts.slice(edit.start, edit.end), edit.lines).map(({ start, end, lines }) => ({
    start: edit.start + start,
    end: edit.start + end,
    lines,
    ...(finalEnding !== undefined && edit.start + end === edit.end && { finalEnding }),
  }));
}

/** The lines that differ, in several parts only where it is certain what stays between them: where lines repeat, a diff is a guess. */
function certainChanges(old: readonly string[], now: readonly string[]): LineEdit[] {
  const parts = lineChanges(old, now);
  if (parts.length < 2) return parts.map((part) => withEqualNeighbours(old, part));
  const isOnce = (line: string) =>
    [old, now].every((lines) => lines.indexOf(line) === lines.lastIndexOf(line)) && line.trim() !== '';
  const between = parts.flatMap(({ start }, index) => old.slice(parts[index - 1]?.end ?? start, start));
  if (between.every(isOnce)) return parts;
  const [{ start } = { start: 0 }] = parts;
  const end = parts.at(-1)?.end ?? old.length;
  return [{ start, end, lines: now.slice(start, now.length - (old.length - end)) }];
}

/** Of equal lines in a row, any could be those that go: the edit is about all of them. */
function withEqualNeighbours(old: readonly string[], { start, end, lines }: LineEdit): LineEdit {
  if (lines.length > 0) return { start, end, lines };
  let up = 0;
  while (start - up > 0 && old[start - up - 1] === old[end - up - 1]) up++;
  let down = 0;
  while (end + down < old.length && old[start + down] === old[end + down]) down++;
  const kept = [...old.slice(start - up, start), ...old.slice(end, end + down)];
  return { start: start - up, end: end + down, lines: kept };
}

function countLines(text: string, until: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < until; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function applyAll(original: string, found: readonly Replacement[], path: string): string {
  const ordered = [...found].sort((a, b) => a.start - b.start);
  const parts: string[] = [];
  let from = 0;
  for (const [index, { start, end, edit, text }] of ordered.entries()) {
    if (start < from) {
      throw errors.create('FILE_TOOLS_TEXT_OVERLAP', { first: ordered[index - 1]?.edit, second: edit, path });
    }
    parts.push(original.slice(from, start), text);
    from = end;
  }
  return parts.join('') + original.slice(from);
}
