import { existsSync } from 'node:fs';
import { TenonError } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import type { EditCall, EditFile, PlannedEdit } from '../api.ts';
import { errors } from '../errors.ts';
import { EditedText } from './carry.ts';
import { refuseForeign } from './editable-text.ts';
import { LineMap } from './line-map.ts';
import { absolutePath } from '@tenon/tools/api';
import type { ModeWork } from './modes.ts';
import { isReindented } from './reindent.ts';
import { decoded, encodingOf } from '../text-encoding.ts';
import { applyLineEdits, encodeLike, type LineEdit, overlapOf } from './text-lines.ts';

type Hashline = Accelerators['hashline'];
type Section = Extract<ReturnType<Hashline['parse']>, { ok: true }>['sections'][number];
type Applied = Extract<ReturnType<Hashline['apply']>, { ok: true }>;
type Refused = Extract<ReturnType<Hashline['apply']>, { ok: false }>;

/** Edits that name lines by the anchors of read and search. */
export function createHashlineMode(load: () => Promise<Hashline>): ModeWork {
  let ready: Hashline | undefined;
  const pathsIn = (hashline: Hashline, input: Input, cwd: string) => ({
    writes: readPatch(hashline, input, cwd).sections.map(({ path }) => path),
  });
  return {
    touches(input, { cwd, partial = false }) {
      if (partial) return { writes: headersIn(String(input['input'] ?? '')) };
      return ready ? pathsIn(ready, input, cwd) : load().then((hashline) => pathsIn((ready = hashline), input, cwd));
    },
    async plan(input, call) {
      const hashline = await load();
      const patch = readPatch(hashline, input, call.cwd);
      const edits: PlannedEdit[] = [];
      for (const section of patch.sections) {
        const edit = await planSection(hashline, section, call);
        // What was odd about the patch as a whole is said once.
        edits.push(edits.length === 0 ? { ...edit, warnings: [...patch.warnings, ...(edit.warnings ?? [])] } : edit);
      }
      return { edits };
    },
    completePart(input) {
      const text = typeof input['input'] === 'string' ? input['input'] : '';
      const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
      // An operation whose text has not come yet, and a header without operations, say nothing.
      while (lines.length > 0 && /^\s*$|^[=<+] |^@/.test(lines.at(-1) ?? '')) lines.pop();
      return lines.length > 0 ? { input: `${lines.join('\n')}\n` } : undefined;
    },
  };
}

type Input = Readonly<Record<string, unknown>>;

function readPatch(
  hashline: Hashline,
  input: Input,
  cwd: string,
): Extract<ReturnType<Hashline['parse']>, { ok: true }> {
  const text = String(input['input']);
  const patch = hashline.parse(text);
  if (!patch.ok) throw errors.create('FILE_TOOLS_PATCH', { reason: patch.message });
  return { ...patch, sections: patch.sections.map((section) => ({ ...section, path: exactPath(section, text, cwd) })) };
}

/** The parser leaves blanks around the path of a header out; a file whose name has them is meant with them. */
function exactPath({ path }: Section, text: string, cwd: string): string {
  const written = text
    .split('\n')
    .flatMap((line) => /^\s*@+ ?(.*?)\r?$/s.exec(line)?.[1] ?? [])
    .filter((name) => name.replaceAll(/^[\t\f\r ]+|[\t\f\r ]+$/g, '') === path);
  const exact = [...new Set(written)].filter((name) => name !== path && existsSync(absolutePath(cwd, name)));
  const [only] = exact;
  if (only === undefined) return path;
  if (new Set(written).size === 1) return only;
  const reason = `two headers differ only in blanks: ${written.map((name) => JSON.stringify(name)).join(', ')}.`;
  throw errors.create('FILE_TOOLS_PATCH', { reason: `${reason} Edit these files in calls of their own` });
}

/** The files of a patch that is still being written. Its last line may be half of one. */
function headersIn(text: string): string[] {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.flatMap((line) => /^\s*@+(.*)$/s.exec(line)?.[1]?.trim() || []);
}

async function planSection(hashline: Hashline, section: Section, call: EditCall): Promise<PlannedEdit> {
  const file = await call.file(section.path);
  const { content, shownPath } = file;
  const isForNewFile = section.ops.every(({ start }) => start === 'BOF' || start === 'EOF');
  if (!content && !isForNewFile) throw errors.create('FILE_TOOLS_EDIT_NOT_FOUND', { path: shownPath });
  if (content) refuseForeign(file.path, shownPath, content);
  const named = { ...(content ? inEncodingOf(content, section, shownPath) : section), path: shownPath };
  const unsure =
    content && file.seen.length > 1 ? named.ops.find((op) => isOfTwoViews(hashline, content, file, op)) : undefined;
  if (content && unsure) {
    call.shown(file);
    const why = 'This anchor fits two views of the file, which differ there.';
    throw errors.create('FILE_TOOLS_EDIT_REFUSED', {
      reason: `${why}\n${doubted(hashline, content, named, unsure).message}`,
    });
  }
  const result = applySection(hashline, content ?? Buffer.alloc(0), named, file);
  if (!result.ok) {
    throw result.code === 'no-change'
      ? errors.create('FILE_TOOLS_NO_CHANGE', { path: shownPath })
      : errors.create('FILE_TOOLS_EDIT_REFUSED', { reason: result.message });
  }
  const warnings = result.recovered
    ? [`${shownPath} has changed since it was read; the lines were found where they are now.`, ...result.warnings]
    : result.warnings;
  return { file, after: result.pieces, warnings };
}

/** New lines as the bytes that the file would have for them. */
function inEncodingOf(content: Uint8Array, section: Section, shownPath: string): Section {
  const bytes = Buffer.from(section.payload);
  if (!bytes.some((byte) => byte > 0x7f)) return section;
  const parts: Buffer[] = [];
  let length = 0;
  const ops = section.ops.map((op) => {
    const part = encodeLike(content, bytes.toString('utf8', op.payloadStart, op.payloadEnd), shownPath);
    parts.push(part);
    const payloadStart = length;
    length += part.length;
    return { ...op, payloadStart, payloadEnd: length };
  });
  return { ...section, ops, payload: Buffer.concat(parts) };
}

/**
 * Anchors mean the newest view. Those that fit neither it nor the file may be of an older one: they are carried over from there, if all of a
 * section fit it and every place can be proven.
 */
function applySection(hashline: Hashline, content: Uint8Array, section: Section, file: EditFile): Outcome {
  const [newest, ...older] = file.seen;
  const result = applyProven(hashline, content, section, newest);
  if (result.ok || result.code !== 'stale') return result;
  for (const view of newest ? [newest, ...older] : older) {
    if (!section.ops.every((op) => fits(hashline.hashLines(view), op))) continue;
    const carried = view === newest ? result : applyProven(hashline, content, section, view);
    if (carried.ok) return carried;
    const byLines = carryByLines(hashline, content, section, { ...file, seen: [view] });
    if (byLines) return byLines;
  }
  return result;
}

/** What there is to say about a section that can be applied. */
interface Applicable {
  readonly ok: true;
  readonly pieces: readonly Uint8Array[];
  readonly warnings: readonly string[];
  readonly recovered: boolean;
}

type Outcome = Applicable | Refused;

/** The same proof as for the other modes, which also holds where neighbours or the indentation have changed. */
function carryByLines(
  hashline: Hashline,
  content: Uint8Array,
  section: Section,
  file: EditFile,
): Applicable | undefined {
  try {
    const text = new EditedText(file, content, hashline);
    if (!text.hasDrifted) return undefined;
    const carried = text.carry(section.ops.map((op) => lineEditOf(content, section, op, text.seen.texts.length)));
    if (overlapOf(carried.edits)) return undefined;
    const after = text.encode(applyLineEdits(text.now, carried.edits));
    return { ok: true, pieces: [after], warnings: carried.warnings.slice(1), recovered: true };
  } catch (fault) {
    // Not proven, or not UTF-8: the refusal that there is stays.
    if (fault instanceof TenonError) return undefined;
    throw fault;
  }
}

function lineEditOf(content: Uint8Array, { payload }: Section, op: Section['ops'][number], length: number): LineEdit {
  const text = decoded(payload.subarray(op.payloadStart, op.payloadEnd), encodingOf(content));
  const lines = text.split('\n').slice(0, -1);
  const { start, end, kind } = op;
  if (start === 'BOF') return { start: 0, end: 0, lines };
  if (start === 'EOF') return { start: length, end: length, lines };
  if (kind === 'insert-after') return { start: start.line, end: start.line, lines, beside: 'above' };
  if (kind === 'insert-before') return { start: start.line - 1, end: start.line - 1, lines, beside: 'below' };
  const isBlanked = kind === 'replace' && lines.length === 0;
  return { start: start.line - 1, end: end?.line ?? start.line, lines: isBlanked ? [''] : lines };
}

function applyProven(
  hashline: Hashline,
  content: Uint8Array,
  section: Section,
  view: Uint8Array | undefined,
): Applied | Refused {
  const result = hashline.apply(content, section, { ...(view && { snapshot: view }) });
  if (!result.ok || !view || Buffer.compare(view, content) === 0) return result;
  const places = section.ops.map((op) => provenPlace(hashline, content, view, op));
  const lost = section.ops.find((_, index) => places[index] === undefined);
  if (lost) return doubted(hashline, content, section, lost);
  const again = hashline.apply(content, movedTo(hashline, content, section, places));
  const isSame = again.ok && Buffer.concat([...again.pieces]).equals(Buffer.concat([...result.pieces]));
  const [first] = section.ops;
  return isSame || !first ? result : doubted(hashline, content, section, first);
}

/** The section with the anchors of the places that its operations were found at. */
function movedTo(
  hashline: Hashline,
  content: Uint8Array,
  section: Section,
  places: readonly (number | 'as written' | undefined)[],
): Section {
  const codes = hashline.hashLines(content);
  const ops = section.ops.map((op, index) => {
    const place = places[index];
    const { start, end } = op;
    if (typeof place !== 'number' || typeof start === 'string') return op;
    const anchor = (line: number) => ({ line: line + 1, code: codes[line] ?? 0 });
    const last = typeof end === 'object' ? { end: anchor(place + end.line - start.line) } : {};
    return { ...op, start: anchor(place), ...last };
  });
  return { ...section, ops };
}

/** The lines of an operation, as in the view: from 0, the end not included. */
function rangeOf({ start, end }: Section['ops'][number]): { first: number; last: number } | undefined {
  if (typeof start === 'string') return undefined;
  return { first: start.line - 1, last: end?.line ?? start.line };
}

function fits(codes: Uint16Array, op: Section['ops'][number]): boolean {
  const { start, end } = op;
  return [start, end].every((anchor) => typeof anchor !== 'object' || codes[anchor.line - 1] === anchor.code);
}

const maps = new WeakMap<Uint8Array, { readonly content: Uint8Array; readonly map: LineMap }>();

/** A second opinion about places that were found by their text: they must also stand between the same landmarks as they did. */
function provenPlace(
  hashline: Hashline,
  content: Uint8Array,
  view: Uint8Array,
  op: Section['ops'][number],
): number | 'as written' | undefined {
  const range = rangeOf(op);
  if (!range || !fits(hashline.hashLines(view), op)) return 'as written';
  const known = maps.get(view);
  const map = known?.content === content ? known.map : new LineMap(linesOf(view), linesOf(content));
  maps.set(view, { content, map });
  const gap = op.kind === 'insert-after' ? 'above' : op.kind === 'insert-before' ? 'below' : undefined;
  const from = gap === 'above' ? range.last : range.first;
  const place = gap ? map.locateGap(from, gap) : map.locate(range.first, range.last);
  if (!('at' in place) || isReindentedAt(linesOf(view), linesOf(content), from, place.at)) return undefined;
  return gap === 'above' ? place.at - 1 : place.at;
}

/** New lines would come with the indentation of what was read, which the lines around them have no more. */
function isReindentedAt(old: readonly string[], now: readonly string[], from: number, at: number): boolean {
  for (const way of [1, -1]) {
    for (let step = 0; step < 60; step++) {
      const [oldLine, other] = [old[from + way * step], now[at + way * step]];
      if (oldLine === undefined || other === undefined || oldLine.trim() !== other.trim()) break;
      if (isReindented(oldLine, other)) return true;
    }
  }
  return false;
}

/**
 * Letters of a line without words tell only its number: `}` of an older view and another `}` of the newest one can have the same anchor. When both
 * lead to different places, nobody can say which is meant.
 */
function isOfTwoViews(
  hashline: Hashline,
  content: Uint8Array,
  { seen }: EditFile,
  op: Section['ops'][number],
): boolean {
  const range = rangeOf(op);
  const [newest, ...older] = seen;
  if (!range || !newest || !fits(hashline.hashLines(newest), op)) return false;
  const lines = linesOf(newest);
  const hasWords = [range.first, range.last - 1].some((line) => /[\p{L}\p{N}]|[^\0-\x7f]/u.test(lines[line] ?? ''));
  if (hasWords) return false;
  const place = new LineMap(lines, linesOf(content)).locate(range.first, range.last);
  if (!('at' in place)) return false;
  return older.some((view) => {
    if (!fits(hashline.hashLines(view), op)) return false;
    const other = new LineMap(linesOf(view), linesOf(content)).locate(range.first, range.last);
    return 'at' in other ? other.at !== place.at : other.reason === 'repeated';
  });
}

/** Bytes as they are: files need not be UTF-8. */
function linesOf(content: Uint8Array): string[] {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.trimEnd());
}

function doubted(hashline: Hashline, content: Uint8Array, section: Section, op: Section['ops'][number]): Refused {
  // Anchors that cannot fit make the refusal that shows the lines there now.
  const spoil = (anchor: typeof op.start | undefined) =>
    typeof anchor === 'object' ? { line: anchor.line, code: (anchor.code + 1) % 676 } : anchor;
  const end = spoil(op.end);
  const spoilt = { ...op, start: spoil(op.start) ?? op.start, ...(typeof end === 'object' && { end }) };
  const shown = hashline.apply(content, { ...section, ops: [spoilt] });
  const line = (rangeOf(op)?.first ?? 0) + 1;
  const where = `Line ${line} of what was read cannot be placed with certainty now.`;
  return shown.ok
    ? { ok: false, code: 'stale', message: where, stale: [] }
    : { ...shown, code: 'stale', message: `${where}\n${shown.message}` };
}
