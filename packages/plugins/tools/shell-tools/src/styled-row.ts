/** A row of a terminal with the sequences for its colours and styles. */
import type headless from '@xterm/headless';

type Line = NonNullable<ReturnType<InstanceType<typeof headless.Terminal>['buffer']['active']['getLine']>>;
type Cell = NonNullable<ReturnType<Line['getCell']>>;

/** The row as text that sets and ends its own styles; blanks at the end are left out. */
export function styledRow(line: Line | undefined): string {
  if (!line) return '';
  const cells: { readonly text: string; readonly style: string }[] = [];
  for (let column = 0; column < line.length; column += 1) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    cells.push({ text: cell.getChars() || ' ', style: styleOf(cell) });
  }
  while (cells.at(-1)?.text === ' ' && cells.at(-1)?.style === '') cells.pop();
  let [row, before] = ['', ''];
  for (const { text, style } of cells) {
    if (style !== before) row += style === '' ? '\x1b[0m' : `\x1b[0;${style}m`;
    row += text;
    before = style;
  }
  return before === '' ? row : `${row}\x1b[0m`;
}

function styleOf(cell: Cell): string {
  const flags: readonly (readonly [number, number])[] = [
    [cell.isBold(), 1],
    [cell.isDim(), 2],
    [cell.isItalic(), 3],
    [cell.isUnderline(), 4],
    [cell.isInverse(), 7],
    [cell.isStrikethrough(), 9],
  ];
  const codes = flags.flatMap(([isOn, code]) => (isOn ? [String(code)] : []));
  return [...codes, ...colorOf(cell, 'Fg', 38), ...colorOf(cell, 'Bg', 48)].join(';');
}

function colorOf(cell: Cell, part: 'Fg' | 'Bg', code: 38 | 48): string[] {
  const value = part === 'Fg' ? cell.getFgColor() : cell.getBgColor();
  if (part === 'Fg' ? cell.isFgRGB() : cell.isBgRGB())
    return [`${code};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}`];
  return (part === 'Fg' ? cell.isFgPalette() : cell.isBgPalette()) ? [`${code};5;${value}`] : [];
}
