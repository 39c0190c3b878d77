/** Word documents as Markdown: headings, lists, tables, links, emphasis, notes. */
import type { DocumentText } from '../api.ts';
import { errors } from '../errors.ts';
import { markdownTable } from './markdown-table.ts';
import { openParts, type Parts } from './parts.ts';
import { walkXml, type XmlAttributes } from './xml.ts';

const MAIN = 'word/document.xml';

interface Lists {
  /** `numId/level` -> true for numbers, false for bullets. */
  readonly isNumbered: ReadonlyMap<string, boolean>;
}

/** The document as Markdown. */
export async function docxText(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<DocumentText> {
  const parts = await openParts(bytes, name, signal);
  const main = await parts.text(MAIN);
  if (main === undefined) {
    throw errors.create('DOCUMENTS_UNREADABLE', { name, kind: 'a Word document', reason: `${MAIN} is missing` });
  }
  const about = {
    styles: await paragraphStyles(parts, signal),
    lists: await listKinds(parts, signal),
    links: await parts.relations(MAIN),
  };
  const body = await bodyText(main, about, signal);
  const notes: string[] = [];
  for (const part of ['word/footnotes.xml', 'word/endnotes.xml']) {
    const text = await bodyText((await parts.text(part)) ?? '', about, signal);
    if (text !== '') notes.push(text);
  }
  return { text: `${[body, ...(notes.length > 0 ? ['## Notes', ...notes] : [])].join('\n\n')}\n`, notes: [] };
}

interface ParagraphStyle {
  /** 0 for text. */
  heading: number;
  /** The list that paragraphs of this style belong to. */
  list?: string;
}

/** Styles whose name or outline level makes headings, and styles of lists. */
async function paragraphStyles(parts: Parts, signal: AbortSignal): Promise<ReadonlyMap<string, ParagraphStyle>> {
  const styles = new Map<string, ParagraphStyle>();
  let style: ParagraphStyle = { heading: 0 };
  const open = (name: string, attributes: XmlAttributes): void => {
    const value = attributes['val'] ?? '';
    if (name === 'style') styles.set(attributes['styleId'] ?? '', (style = { heading: 0 }));
    if (name === 'name') style.heading = /^title$/i.test(value) ? 1 : Number(/^heading (\d)$/i.exec(value)?.[1] ?? 0);
    if (name === 'outlineLvl' && style.heading === 0) style.heading = Math.max(0, Number(value) + 1) % 10;
    if (name === 'numId' && value !== '0') style.list = value;
  };
  await walkXml((await parts.text('word/styles.xml')) ?? '', { open }, signal);
  return styles;
}

async function listKinds(parts: Parts, signal: AbortSignal): Promise<Lists> {
  const abstract = new Map<string, boolean>();
  const isNumbered = new Map<string, boolean>();
  const of = new Map<string, string>();
  let definition = '';
  let level = '';
  let list = '';
  const open = (name: string, attributes: XmlAttributes): void => {
    if (name === 'abstractNum') definition = attributes['abstractNumId'] ?? '';
    if (name === 'lvl') level = attributes['ilvl'] ?? '0';
    if (name === 'numFmt') abstract.set(`${definition}/${level}`, attributes['val'] !== 'bullet');
    if (name === 'num') list = attributes['numId'] ?? '';
    if (name === 'abstractNumId') of.set(list, attributes['val'] ?? '');
  };
  await walkXml((await parts.text('word/numbering.xml')) ?? '', { open }, signal);
  for (const [id, base] of of) {
    for (let depth = 0; depth < 9; depth++) {
      isNumbered.set(`${id}/${depth}`, abstract.get(`${base}/${depth}`) ?? false);
    }
  }
  return { isNumbered };
}

interface Paragraph {
  text: string;
  heading: number;
  list: string | undefined;
  level: number;
}

interface Table {
  readonly rows: string[][];
  cell: string[] | undefined;
}

type About = {
  readonly styles: ReadonlyMap<string, ParagraphStyle>;
  readonly lists: Lists;
  readonly links: ReadonlyMap<string, string>;
};

async function bodyText(xml: string, about: About, signal: AbortSignal): Promise<string> {
  const blocks: { readonly text: string; readonly isItem: boolean }[] = [];
  const tables: Table[] = [];
  // A text box is a paragraph inside of another.
  const around: Paragraph[] = [];
  let paragraph: Paragraph | undefined;
  let label = '';
  let run = { bold: false, italic: false };
  let isText = false;
  let skipped = 0;
  let link: string | undefined;

  const add = (text: string, isItem = false): void => {
    const cell = tables.at(-1)?.cell;
    if (cell) cell.push(text);
    else blocks.push({ text, isItem });
  };
  const isOn = ({ val }: XmlAttributes) => val === undefined || !/^(?:0|false|none)$/.test(val);
  const open = (name: string, attributes: XmlAttributes): void => {
    // The same content once more, for programs that do not know the first form.
    if (name === 'Fallback') skipped++;
    if (skipped > 0) return;
    if (name === 'p') {
      if (paragraph) around.push(paragraph);
      paragraph = { text: label, heading: 0, list: undefined, level: 0 };
      label = '';
    } else if ((name === 'footnote' || name === 'endnote') && attributes['type'] === undefined) {
      label = `${noteMark(name, attributes)}: `;
    } else if (name === 'pStyle') setStyle(paragraph, about.styles.get(attributes['val'] ?? ''));
    else if (name === 'ilvl' && paragraph) paragraph.level = Number(attributes['val']) || 0;
    else if (name === 'numId' && paragraph && attributes['val'] !== '0') paragraph.list = attributes['val'];
    else if (name === 'r') run = { bold: false, italic: false };
    else if (name === 'b') run.bold = isOn(attributes);
    else if (name === 'i') run.italic = isOn(attributes);
    else if (name === 't') isText = true;
    else if (name === 'tab' && paragraph && paragraph.text !== '') paragraph.text += '\t';
    else if ((name === 'br' || name === 'cr') && paragraph) paragraph.text += '\n';
    else if (name === 'hyperlink') link = about.links.get(attributes['id'] ?? '');
    else if (name === 'docPr' && paragraph)
      paragraph.text += `[image: ${attributes['descr'] ?? attributes['name'] ?? ''}]`;
    else if (/^(?:foot|end)noteReference$/.test(name) && paragraph) paragraph.text += noteMark(name, attributes);
    else if (name === 'tbl') tables.push({ rows: [], cell: undefined });
    else if (name === 'tr') tables.at(-1)?.rows.push([]);
    else if (name === 'tc') setCell(tables.at(-1), []);
  };
  const close = (name: string): void => {
    if (name === 'Fallback') skipped--;
    if (skipped > 0) return;
    if (name === 't') isText = false;
    else if (name === 'hyperlink') link = undefined;
    else if (name === 'p' && paragraph) {
      const text = paragraphText(paragraph, about.lists);
      if (text !== '') add(text, paragraph.list !== undefined && paragraph.heading === 0);
      paragraph = around.pop();
    } else if (name === 'tc') {
      const table = tables.at(-1);
      table?.rows.at(-1)?.push(table.cell?.join('\n') ?? '');
      setCell(table, undefined);
    } else if (name === 'tbl') {
      const table = tables.pop();
      if (table) add(markdownTable(table.rows));
    }
  };
  const text = (piece: string): void => {
    if (!isText || skipped > 0 || !paragraph) return;
    const marked = emphasised(piece, run);
    paragraph.text += link === undefined ? marked : `[${piece}](${link})`;
  };
  await walkXml(xml, { open, close, text }, signal);
  let out = '';
  for (const [index, block] of blocks.entries()) {
    const isSameList = block.isItem && blocks[index - 1]?.isItem === true;
    out += `${index === 0 ? '' : isSameList ? '\n' : '\n\n'}${block.text}`;
  }
  // Runs with the same emphasis that follow each other are one to the reader.
  return out.replaceAll('****', '');
}

/** Footnotes and endnotes are numbered apart. */
function noteMark(name: string, { id = '' }: XmlAttributes): string {
  return `[^${name.startsWith('end') ? 'e' : ''}${id}]`;
}

function setStyle(paragraph: Paragraph | undefined, style: ParagraphStyle | undefined): void {
  if (!paragraph || !style) return;
  paragraph.heading = style.heading;
  paragraph.list = style.list;
}

function setCell(table: Table | undefined, cell: string[] | undefined): void {
  if (table) table.cell = cell;
}

function emphasised(text: string, { bold, italic }: { readonly bold: boolean; readonly italic: boolean }): string {
  const [, before = '', core = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  const mark = `${bold ? '**' : ''}${italic ? '_' : ''}`;
  if (core === '' || mark === '') return text;
  return `${before}${mark}${core}${[...mark].reverse().join('')}${after}`;
}

function paragraphText({ text, heading, list, level }: Paragraph, { isNumbered }: Lists): string {
  const trimmed = text.trim().replace(/^(\[\^\w+\]:)\s+/, '$1 ');
  if (trimmed === '') return '';
  if (heading > 0) return `${'#'.repeat(Math.min(heading, 6))} ${trimmed.replaceAll('**', '')}`;
  if (list === undefined) return trimmed;
  return `${'  '.repeat(level)}${isNumbered.get(`${list}/${level}`) ? '1.' : '-'} ${trimmed}`;
}
