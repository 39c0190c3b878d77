/** How texts are laid out on a terminal: wrapping, two columns, headings. */

/** Marks up texts; without colours it leaves them as they are. */
export interface Style {
  heading(text: string): string;
  name(text: string): string;
  dim(text: string): string;
}

/** The style for an output with or without colours. */
export function styleFor(color: boolean): Style {
  const paint = (open: number, close: number) => (text: string) =>
    color ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { heading: paint(1, 22), name: paint(36, 39), dim: paint(2, 22) };
}

/** Wider lines are hard to read, however wide the terminal is. */
const MAX_TEXT_WIDTH = 100;

/** The width that texts are fitted to. */
export function textWidth(columns: number): number {
  return Math.max(30, Math.min(columns, MAX_TEXT_WIDTH));
}

/** Breaks a paragraph into lines of at most `width` characters. Words that are longer stay whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line && [...line].length + 1 + [...word].length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return line || lines.length === 0 ? [...lines, line] : lines;
}

/** Paragraphs (separated by blank lines), wrapped and indented. */
export function paragraphs(text: string, width: number, indent = 0): string {
  const pad = ' '.repeat(indent);
  return text
    .split(/\n\s*\n/)
    .map((paragraph) =>
      wrap(paragraph, width - indent)
        .map((line) => pad + line)
        .join('\n'),
    )
    .join('\n\n');
}

/** One row of a two-column list; the text is wrapped behind the term, or below a term that is too long. */
export interface Row {
  readonly term: string;
  readonly text: string;
}

const INDENT = 2;
const GAP = 2;

/** Lays rows out in two columns. */
export function columns(rows: readonly Row[], width: number, style: Style): string {
  const widest = Math.max(0, ...rows.map(({ term }) => [...term].length));
  const termWidth = Math.min(widest, Math.floor(width * 0.4));
  const textAt = INDENT + termWidth + GAP;
  return rows
    .map(({ term, text }) => {
      const lines = wrap(text, width - textAt);
      const fits = [...term].length <= termWidth;
      const head = ' '.repeat(INDENT) + style.name(term);
      const padding = ' '.repeat(textAt - INDENT - [...term].length > 0 ? textAt - INDENT - [...term].length : 0);
      const below = (fits ? lines.slice(1) : lines).map((line) => ' '.repeat(textAt) + line);
      return [fits ? `${head}${padding}${lines[0] ?? ''}`.trimEnd() : head, ...below].join('\n');
    })
    .join('\n');
}
