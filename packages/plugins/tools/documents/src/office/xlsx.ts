/** Workbooks of Excel as Markdown tables, one for each sheet. */
import type { DocumentText } from '../api.ts';
import { errors } from '../errors.ts';
import { openParts, type Parts } from './parts.ts';
import { markdownTable } from './markdown-table.ts';
import { walkXml, type XmlAttributes } from './xml.ts';

const WORKBOOK = 'xl/workbook.xml';
const MAX_CHARS = 16 * 1024 * 1024;
const MAX_COLUMNS = 256;
/** The numbers of the formats for dates and times that every workbook knows. */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57]);

/** All sheets as tables. */
export async function xlsxText(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<DocumentText> {
  const parts = await openParts(bytes, name, signal);
  const { sheets, is1904 } = await listSheets(parts, signal);
  if (sheets.length === 0) {
    throw errors.create('DOCUMENTS_UNREADABLE', { name, kind: 'a workbook', reason: 'it has no sheets' });
  }
  const shared = await sharedStrings(parts, signal);
  const isDate = await dateStyles(parts, signal);
  const blocks: string[] = [];
  const notes = [`${sheets.length} ${sheets.length === 1 ? 'sheet' : 'sheets'}`];
  let chars = 0;
  for (const sheet of sheets) {
    const { rows, isCut } = await sheetRows(
      (await parts.text(sheet.part)) ?? '',
      { shared, isDate, is1904, maxChars: MAX_CHARS - chars },
      signal,
    );
    const hidden = sheet.isHidden ? ', hidden' : '';
    const table = markdownTable(rows) || '(empty)';
    chars += table.length;
    blocks.push(`## ${sheet.name} (${rows.length} ${rows.length === 1 ? 'row' : 'rows'}${hidden})\n\n${table}`);
    if (isCut) notes.push(`the sheet "${sheet.name}" is cut: it is too large to be shown whole`);
  }
  return { text: `${blocks.join('\n\n')}\n`, notes };
}

interface Sheet {
  readonly name: string;
  readonly part: string;
  readonly isHidden: boolean;
}

async function listSheets(parts: Parts, signal: AbortSignal): Promise<{ sheets: Sheet[]; is1904: boolean }> {
  const relations = await parts.relations(WORKBOOK);
  const sheets: Sheet[] = [];
  let is1904 = false;
  const open = (element: string, { name = '', id, state, date1904 }: XmlAttributes): void => {
    if (element === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true';
    const part = element === 'sheet' ? relations.get(id ?? '') : undefined;
    if (part !== undefined) sheets.push({ name, part, isHidden: state !== undefined && state !== 'visible' });
  };
  await walkXml((await parts.text(WORKBOOK)) ?? '', { open }, signal);
  return { sheets, is1904 };
}

async function sharedStrings(parts: Parts, signal: AbortSignal): Promise<readonly string[]> {
  const strings: string[] = [];
  let current: string | undefined;
  let isText = false;
  let isPhonetic = false;
  await walkXml(
    (await parts.text('xl/sharedStrings.xml')) ?? '',
    {
      open(name) {
        if (name === 'si') current = '';
        if (name === 'rPh') isPhonetic = true;
        if (name === 't') isText = true;
      },
      close(name) {
        if (name === 't') isText = false;
        if (name === 'rPh') isPhonetic = false;
        if (name === 'si') strings.push(current ?? '');
      },
      text(piece) {
        if (isText && !isPhonetic) current += piece;
      },
    },
    signal,
  );
  return strings;
}

/** For each cell style whether numbers in it are dates. */
async function dateStyles(parts: Parts, signal: AbortSignal): Promise<readonly boolean[]> {
  const own = new Map<number, boolean>();
  const styles: boolean[] = [];
  let isCells = false;
  const open = (name: string, { numFmtId = '', formatCode = '' }: XmlAttributes): void => {
    if (name === 'cellXfs') isCells = true;
    // Colours and texts in a format may contain the letters of dates.
    if (name === 'numFmt')
      own.set(Number(numFmtId), /[ymdhs]/i.test(formatCode.replaceAll(/\[[^\]]*\]|"[^"]*"|\\./g, '')));
    if (name === 'xf' && isCells) styles.push(own.get(Number(numFmtId)) ?? DATE_FORMATS.has(Number(numFmtId)));
  };
  const close = (name: string): void => {
    if (name === 'cellXfs') isCells = false;
  };
  await walkXml((await parts.text('xl/styles.xml')) ?? '', { open, close }, signal);
  return styles;
}

async function sheetRows(
  xml: string,
  about: {
    readonly shared: readonly string[];
    readonly isDate: readonly boolean[];
    readonly is1904: boolean;
    readonly maxChars: number;
  },
  signal: AbortSignal,
): Promise<{ rows: string[][]; isCut: boolean }> {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell: { column: number; type: string; style: number } | undefined;
  let value = '';
  let formula = '';
  let isValue = false;
  let isFormula = false;
  let chars = 0;
  let isCut = false;
  await walkXml(
    xml,
    {
      open(name, { r, t = 'n', s = '0' }) {
        if (name === 'row') row = [];
        if (name === 'c') {
          cell = { column: columnOf(r, row.length), type: t, style: Number(s) };
          value = '';
          formula = '';
        }
        if (name === 'f') isFormula = true;
        if (name === 'v' || name === 't') isValue = true;
      },
      close(name) {
        if (name === 'f') isFormula = false;
        if (name === 'v' || name === 't') isValue = false;
        if (name === 'c' && cell) {
          if (cell.column < MAX_COLUMNS) {
            while (row.length < cell.column) row.push('');
            // A program that does not calculate writes formulas without their values.
            row[cell.column] = value === '' && formula !== '' ? `=${formula}` : cellText(value, cell, about);
          } else isCut = true;
          cell = undefined;
        }
        if (name !== 'row' || row.every((text) => text === '')) return;
        chars += row.reduce((sum, text) => sum + text.length + 3, 0);
        if (chars > about.maxChars) isCut = true;
        else rows.push(row);
      },
      text(piece) {
        if (isValue && cell) value += piece;
        if (isFormula && cell) formula += piece;
      },
    },
    signal,
  );
  return { rows, isCut };
}

/** `B7` is column 1. */
function columnOf(reference: string | undefined, next: number): number {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return next;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellText(
  value: string,
  { type, style }: { readonly type: string; readonly style: number },
  {
    shared,
    isDate,
    is1904,
  }: { readonly shared: readonly string[]; readonly isDate: readonly boolean[]; readonly is1904: boolean },
): string {
  if (type === 's') return shared[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type === 'n' && value !== '' && isDate[style]) return dateText(Number(value), is1904);
  return value;
}

/** Days since the end of 1899, or since 1904; the fraction is the time. */
function dateText(days: number, is1904: boolean): string {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return String(days);
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const text = new Date(start + Math.round(days * 86_400) * 1000).toISOString();
  const time = text.slice(11, 19);
  if (days < 1) return time;
  return time === '00:00:00' ? text.slice(0, 10) : `${text.slice(0, 10)} ${time}`;
}
