/** XHTML (EPUB) and OpenDocument text as Markdown: both are a flow of headings, paragraphs, lists and tables. */
import { markdownTable } from './markdown-table.ts';
import { walkXml, type XmlAttributes } from './xml.ts';

const BLOCKS = new Set([
  'p',
  'div',
  'section',
  'blockquote',
  'figure',
  'figcaption',
  'dt',
  'dd',
  'pre',
  'header',
  'footer',
]);
const ITEMS = new Set(['li', 'list-item']);
const LISTS = new Set(['ul', 'ol', 'list']);
const TABLES = new Set(['table']);
const ROWS = new Set(['tr', 'table-row']);
const CELLS = new Set(['td', 'th', 'table-cell']);
const SILENT = new Set(['script', 'style', 'head', 'svg', 'annotation', 'tracked-changes', 'forms']);
/** A sheet may say that a row of blanks repeats a million times. */
const MAX_REPEAT = 64;

/** The text; `title` elements of the head are not part of it. */
export async function flowText(xml: string, signal: AbortSignal): Promise<string> {
  const blocks: string[] = [];
  const tables: { rows: string[][]; cell: string | undefined; repeat: number }[] = [];
  let line = '';
  let heading = 0;
  let depth = 0;
  let silent = 0;
  let isItemStart = false;

  const flush = (): void => {
    const text = line.replaceAll(/[ \t]*\n[ \t]*/g, '\n').trim();
    line = '';
    if (text === '') return;
    const table = tables.at(-1);
    if (table) {
      table.cell = [...(table.cell ? [table.cell] : []), text].join(' ');
      return;
    }
    const item = depth > 0 ? `${'  '.repeat(depth - 1)}${isItemStart ? '- ' : '  '}` : '';
    blocks.push(heading > 0 ? `${'#'.repeat(heading)} ${text.replaceAll('\n', ' ')}` : `${item}${text}`);
    isItemStart = false;
  };
  const headingOf = (name: string, attributes: XmlAttributes): number => {
    const level = /^h([1-6])$/.exec(name)?.[1] ?? (name === 'h' ? (attributes['outline-level'] ?? '1') : undefined);
    return level === undefined ? 0 : Math.min(6, Number(level) || 1);
  };
  await walkXml(
    xml,
    {
      open(name, attributes) {
        if (SILENT.has(name)) silent++;
        const level = headingOf(name, attributes);
        if (level > 0 || BLOCKS.has(name) || LISTS.has(name) || ITEMS.has(name) || TABLES.has(name)) flush();
        if (level > 0) heading = level;
        if (LISTS.has(name)) depth++;
        if (ITEMS.has(name)) isItemStart = true;
        if (TABLES.has(name)) tables.push({ rows: [], cell: undefined, repeat: 1 });
        const table = tables.at(-1);
        if (ROWS.has(name)) table?.rows.push([]);
        if (CELLS.has(name) && table) {
          table.cell = '';
          table.repeat = Math.min(MAX_REPEAT, Number(attributes['number-columns-repeated'] ?? '1') || 1);
        }
        if (name === 'br' || name === 'line-break') line += '\n';
        if (name === 'tab' || name === 's') line += ' ';
        if (name === 'img') line += attributes['alt'] ? `[image: ${attributes['alt']}]` : '';
      },
      close(name) {
        if (SILENT.has(name)) silent = Math.max(0, silent - 1);
        if (headingOf(name, {}) > 0 || BLOCKS.has(name) || ITEMS.has(name) || CELLS.has(name)) flush();
        if (headingOf(name, {}) > 0) heading = 0;
        if (LISTS.has(name)) depth = Math.max(0, depth - 1);
        const table = tables.at(-1);
        if (CELLS.has(name) && table) {
          for (let count = 0; count < table.repeat; count++) table.rows.at(-1)?.push(table.cell ?? '');
          table.cell = undefined;
        }
        if (TABLES.has(name) && table) {
          tables.pop();
          const rows = table.rows.map(withoutEmptyEnd).filter((row) => row.length > 0);
          if (rows.length > 0) blocks.push(markdownTable(rows));
        }
      },
      text(piece) {
        if (silent === 0) line += piece.replaceAll(/\s+/g, ' ');
      },
    },
    signal,
  );
  flush();
  return joined(blocks);
}

function withoutEmptyEnd(row: readonly string[]): string[] {
  return row.slice(0, row.findLastIndex((cell) => cell !== '') + 1);
}

function joined(blocks: readonly string[]): string {
  const isItem = (text: string | undefined) => text !== undefined && /^ *- /.test(text);
  let out = '';
  for (const [index, block] of blocks.entries()) {
    out += `${index === 0 ? '' : isItem(block) && isItem(blocks[index - 1]) ? '\n' : '\n\n'}${block}`;
  }
  return out;
}
