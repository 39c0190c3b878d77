/** Text with styles, broken into lines that fit; the rules are those of `crates/text/src/wrap.rs`. */
import { CLOSE_LINK, linkLength, linkOpening } from './link.ts';
import { Style, styleLength } from './style.ts';
import { wellFormed } from './well-formed.ts';
import { clusterAt } from './width.ts';

const PLAIN = 0;
const SPACE = 1;
const WIDE = 2;
const STYLE = 3;
const LINK = 4;
const MOST_TAB_WIDTH = 16;

/** Clusters, styles and links of one row, as columns of a table: an object for each would cost more than the work. */
interface Items {
  readonly texts: string[];
  readonly widths: number[];
  readonly kinds: number[];
}

/** Breaks `text` into lines of at most `width` columns. */
export function wrapText(text: string, width: number, tabWidth: number): string[] {
  const columns = Math.max(width, 1);
  const tab = Math.min(Math.max(tabWidth, 1), MOST_TAB_WIDTH);
  const style = new Style();
  let link = '';
  const lines: string[] = [];
  for (const row of wellFormed(text).split('\n')) {
    const items = readItems(row, tab);
    breakRow(items, columns, (start, end) => {
      let line = style.opening + link;
      for (let at = start; at < end; at++) {
        const item = items.texts[at]!;
        line += item;
        if (items.kinds[at] === STYLE) style.apply(item.slice(2, -1));
        else if (items.kinds[at] === LINK) link = linkOpening(item);
      }
      if (link !== '') line += CLOSE_LINK;
      lines.push(style.isPlain ? line : `${line}\x1b[0m`);
    });
  }
  return lines;
}

function readItems(row: string, tab: number): Items {
  const items: Items = { texts: [], widths: [], kinds: [] };
  const push = (text: string, width: number, kind: number): void => {
    items.texts.push(text);
    items.widths.push(width);
    items.kinds.push(kind);
    column += width;
  };
  let column = 0;
  for (let at = 0; at < row.length;) {
    const code = row.charCodeAt(at);
    const style = code === 0x1b ? styleLength(row, at) : 0;
    const link = code === 0x1b && style === 0 ? linkLength(row, at) : 0;
    if (code === 9) {
      for (let left = tab - (column % tab); left > 0; left--) push(' ', 1, SPACE);
      at++;
    } else if (code === 32 && !(row.charCodeAt(at + 1) >= 0x80)) {
      push(' ', 1, SPACE);
      at++;
    } else if (style > 0) {
      push(row.slice(at, at + style), 0, STYLE);
      at += style;
    } else if (link > 0) {
      push(row.slice(at, at + link), 0, LINK);
      at += link;
    } else {
      const cluster = clusterAt(row, at);
      const width = cluster & 3;
      push(row.slice(at, cluster >>> 2), width, width > 1 ? WIDE : PLAIN);
      at = cluster >>> 2;
    }
  }
  return items;
}

function breakRow({ widths, kinds }: Items, width: number, emit: (start: number, end: number) => void): void {
  let start = 0;
  let column = 0;
  // Where the next line would start if this one had to end at its last opportunity.
  let opportunity = 0;
  let at = 0;
  while (at < widths.length) {
    const kind = kinds[at]!;
    const own = widths[at]!;
    if (kind === WIDE && at > start) opportunity = at;
    if (column > 0 && own > 0 && column + own > width) {
      const end = kind === SPACE || opportunity <= start ? at : opportunity;
      let trimmed = end;
      while (trimmed > start && kinds[trimmed - 1] === SPACE) trimmed--;
      emit(start, trimmed);
      start = end;
      if (kind === SPACE) {
        while (kinds[start] === SPACE) start++;
        at = start;
      }
      opportunity = start;
      column = 0;
      for (let placed = start; placed < at; placed++) column += widths[placed]!;
      continue;
    }
    column += own;
    at++;
    if (kind === SPACE || kind === WIDE) opportunity = at;
  }
  // Spaces that ran over the end leave no line of their own behind.
  if (start === 0 || start < widths.length) emit(start, widths.length);
}
