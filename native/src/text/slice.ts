import { CLOSE_LINK, linkLength, linkOpening } from './link.ts';
import { Style, styleLength } from './style.ts';
import { clusterAt, textWidth } from './width.ts';

/** The columns `start` to `end` (exclusive) of a line; half of a wide character becomes a space. */
export function sliceColumns(text: string, start: number, end: number): string {
  const style = new Style();
  let link = '';
  let out = '';
  let opened = false;
  let column = 0;
  for (let at = 0; at < text.length && column < end;) {
    const length = text.charCodeAt(at) === 0x1b ? styleLength(text, at) : 0;
    if (length > 0) {
      const sequence = text.slice(at, at + length);
      style.apply(sequence.slice(2, -1));
      if (opened) out += sequence;
      at += length;
      continue;
    }
    const linked = text.charCodeAt(at) === 0x1b ? linkLength(text, at) : 0;
    if (linked > 0) {
      const sequence = text.slice(at, at + linked);
      link = linkOpening(sequence);
      if (opened) out += sequence;
      at += linked;
      continue;
    }
    const cluster = clusterAt(text, at);
    const width = cluster & 3;
    const next = column + width;
    if (next > start || (width === 0 && column >= start && opened)) {
      if (!opened) out += style.opening + link;
      opened = true;
      const whole = column >= start && next <= end;
      out += whole ? text.slice(at, cluster >>> 2) : ' '.repeat(Math.min(next, end) - Math.max(column, start));
    }
    column = next;
    at = cluster >>> 2;
  }
  if (opened && link !== '') out += CLOSE_LINK;
  return opened && !style.isPlain ? `${out}\x1b[0m` : out;
}

/** The text if it fits `width` columns, else its beginning and the ellipsis in that width. */
export function truncateColumns(text: string, width: number, ellipsis: string): string {
  if (textWidth(text) <= width) return text;
  const room = width - textWidth(ellipsis);
  // Where not even the ellipsis fits, as much of it as does is still the honest sign.
  return room < 0 ? sliceColumns(ellipsis, 0, width) : sliceColumns(text, 0, room) + ellipsis;
}
