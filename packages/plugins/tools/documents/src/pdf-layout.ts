/** Puts the pieces of text on a page back into lines and paragraphs. */

/** Text, x and y of its start from the lower left corner, width, height, whether its line ends there. */
export type PdfItem = readonly [text: string, x: number, y: number, width: number, height: number, endsLine: boolean];

interface Line {
  text: string;
  y: number;
  height: number;
  end: number;
}

/** The page as text: the order is that of the file, which is how the page was written. */
export function pageText(items: readonly PdfItem[]): string {
  const lines: Line[] = [];
  let current: Line | undefined;
  for (const [text, x, y, width, height] of items) {
    if (text === '') continue;
    const size = height > 0 ? height : (current?.height ?? 10);
    if (!current || Math.abs(y - current.y) > Math.max(size, current.height) * 0.5) {
      if (text.trim() === '') continue;
      current = { text, y, height: size, end: x + width };
      lines.push(current);
      continue;
    }
    current.text += gap(current, x, size, text) + text;
    current.end = x + width;
  }
  return joined(lines);
}

function gap(line: Line, x: number, size: number, next: string): string {
  if (/\s$/.test(line.text) || /^\s/.test(next)) return '';
  const distance = x - line.end;
  // A jump to the left or far to the right is another column or cell.
  if (distance > size * 2 || distance < -size * 2) return '  ';
  return distance > size * 0.15 ? ' ' : '';
}

function joined(lines: readonly Line[]): string {
  let text = '';
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const down = before ? before.y - line.y : 0;
    const isApart = before !== undefined && (down > Math.max(before.height, line.height) * 1.9 || down < 0);
    text += `${index === 0 ? '' : isApart ? '\n\n' : '\n'}${line.text.trimEnd()}`;
  }
  return text.trim();
}
