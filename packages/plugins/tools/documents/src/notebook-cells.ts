/** Notebooks that are edited as the text of their cells. What is not changed stays in the file as it was written. */
import { randomBytes } from 'node:crypto';
import type { NotebookCells } from './api.ts';
import { errors } from './errors.ts';
import { elementsAt, membersAt, rootOf, type Span } from './json-spans.ts';
import { type Cell, linesOf, type Notebook, notebookText, outputLines, readNotebook, sourceOf } from './notebook.ts';

const HEADER = /^# %% \[(\w+)\](?: cell:(\d+))?\s*$/;
const KINDS = new Set(['code', 'markdown', 'raw']);

/** A cell as the text has it; `from` is the cell of the file that it was. */
interface WrittenCell {
  readonly kind: string;
  readonly from: number | undefined;
  readonly lines: string[];
}

/** Opens a notebook for editing. */
export function notebookCells(bytes: Uint8Array, name: string): NotebookCells {
  const notebook = readNotebook(bytes, name);
  const isUnclear = notebook.cells.some((cell) =>
    sourceOf(cell)
      .split('\n')
      .some((line) => HEADER.test(line)),
  );
  if (isUnclear) {
    const reason = 'a line inside of a cell looks like the start of another one';
    throw errors.create('DOCUMENTS_CELLS', { name, reason });
  }
  const { text } = notebookText(bytes, name);
  return {
    text,
    withText: (edited) => (edited === text ? bytes : Buffer.from(withCells(bytes, notebook, readCells(edited, name)))),
  };
}

function readCells(text: string, name: string): WrittenCell[] {
  const refuse = (reason: string) => errors.create('DOCUMENTS_CELLS', { name, reason });
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const cells: WrittenCell[] = [];
  const taken = new Set<number>();
  for (const line of lines) {
    const [, kind, number] = HEADER.exec(line.replace(/\r$/, '')) ?? [];
    if (kind === undefined) {
      const cell = cells.at(-1);
      if (cell) cell.lines.push(line);
      else if (line.trim() !== '') throw refuse('there is text in front of the first cell');
      continue;
    }
    if (!KINDS.has(kind)) throw refuse(`there are no cells of the kind "${kind}"`);
    const from = number === undefined || taken.has(Number(number)) ? undefined : Number(number);
    if (from !== undefined) taken.add(from);
    cells.push({ kind, from, lines: [] });
  }
  // A blank line stands between two cells and belongs to none.
  for (const cell of cells.slice(0, -1)) if (cell.lines.at(-1)?.trim() === '') cell.lines.pop();
  return cells;
}

function withCells(bytes: Uint8Array, notebook: Notebook, written: readonly WrittenCell[]): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const list = membersAt(text, rootOf(text)).get('cells') as Span;
  const places = elementsAt(text, list.start);
  const form = formOf(text, list, places);
  const parts = written.map((cell) => {
    const old = cell.from === undefined ? undefined : notebook.cells[cell.from];
    const place = cell.from === undefined ? undefined : places[cell.from];
    return old && place && kindOf(old) === cell.kind
      ? changedCell(text, place, old, cell, form)
      : indented(newCell(notebook, cell), form);
  });
  const inside = parts.length === 0 ? '' : form.before + parts.join(`,${form.between}`) + form.after;
  return `${text.slice(0, list.start)}[${inside}]${text.slice(list.end)}`;
}

const kindOf = ({ cell_type: kind }: Cell) => (typeof kind === 'string' ? kind : 'raw');

/** How the file is laid out. */
interface Form {
  readonly before: string;
  readonly between: string;
  readonly after: string;
  /** One step of indentation; empty in a file on one line. */
  readonly unit: string;
  readonly indent: string;
}

function formOf(text: string, list: Span, places: readonly Span[]): Form {
  const [first, second] = places;
  const unit = /^\s*\{\r?\n([ \t]+)/.exec(text.replace(/^\uFEFF/, ''))?.[1] ?? '';
  if (!first) {
    const [before, after] = unit === '' ? ['', ''] : [`\n${unit}${unit}`, `\n${unit}`];
    return { before, between: before, after, unit, indent: unit + unit };
  }
  const before = text.slice(list.start + 1, first.start);
  const between = second ? text.slice(first.end, second.start).replace(',', '') : before;
  const after = text.slice((places.at(-1) as Span).end, list.end - 1);
  return { before, between, after, unit, indent: /[ \t]*$/.exec(before)?.[0] ?? '' };
}

function changedCell(text: string, place: Span, old: Cell, written: WrittenCell, form: Form): string {
  const source = sourceIn(written, old);
  const whole = text.slice(place.start, place.end);
  if (source === sourceOf(old)) return whole;
  const full = linesOf(old.source).endsWith('\n') ? `${source}\n` : source;
  const span = membersAt(whole, 0).get('source');
  const value = typeof old.source === 'string' ? full : linesWithEnds(full);
  if (!span) return indented({ ...old, source: value }, form);
  return (
    whole.slice(0, span.start) + indented(value, { ...form, indent: form.indent + form.unit }) + whole.slice(span.end)
  );
}

/** The lines of a cell without those that show what it had printed; what was written behind those belongs to it. */
function sourceIn({ lines }: WrittenCell, old: Cell): string {
  const shown = outputLines(old);
  if (shown.length === 0) return lines.join('\n');
  for (let at = lines.length - shown.length; at >= 0; at--) {
    if (shown.every((line, index) => lines[at + index] === line)) return lines.toSpliced(at, shown.length).join('\n');
  }
  let length = lines.length;
  while (shown.includes(lines[length - 1] ?? '')) length--;
  return lines.slice(0, length).join('\n');
}

function newCell(notebook: Notebook, { kind, lines }: WrittenCell): Record<string, unknown> {
  const [major, minor] = [Number(notebook.nbformat ?? 4), Number(notebook.nbformat_minor ?? 0)];
  const hasId = major > 4 || (major === 4 && minor >= 5);
  return {
    cell_type: kind,
    ...(kind === 'code' && { execution_count: null }),
    ...(hasId && { id: randomBytes(4).toString('hex') }),
    metadata: {},
    ...(kind === 'code' && { outputs: [] }),
    source: linesWithEnds(lines.join('\n')),
  };
}

function linesWithEnds(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function indented(value: unknown, { unit, indent }: Pick<Form, 'unit' | 'indent'>): string {
  return unit === '' ? JSON.stringify(value) : JSON.stringify(value, undefined, unit).replaceAll('\n', `\n${indent}`);
}
