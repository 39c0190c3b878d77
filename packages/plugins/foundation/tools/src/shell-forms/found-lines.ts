/** Takes the text of `search` and `ast_grep` apart, and writes it the way a shell user expects. */
import { plainText } from '@tenon/wording';

/** One line of a result. */
export interface FoundLine {
  readonly path: string;
  readonly line: number;
  /** What `edit` names the line by; absent where the line is cut. */
  readonly anchor?: string;
  readonly text: string;
  /** False for lines around a match, and for the later lines of one that spans several. */
  readonly isMatch: boolean;
}

/** A result, taken apart. */
export interface FoundText {
  readonly lines: readonly FoundLine[];
  /** What the tool says about the result: what was left out, what was repaired. */
  readonly notes: readonly string[];
}

/** Rows stand under `# path`; a result for a single file has no heading. */
export function parseFound(text: string, onlyPath: string): FoundText {
  const lines: FoundLine[] = [];
  const notes: string[] = [];
  let path = onlyPath;
  for (const row of text.split('\n')) {
    const parts = /^([* ])(\d+)([a-z]{2})?\|(.*)$/.exec(row);
    if (parts) {
      const [, mark, number = '', letters, rest = ''] = parts;
      const anchor = letters !== undefined && { anchor: number + letters };
      lines.push({ path, line: Number(number), ...anchor, text: rest, isMatch: mark === '*' });
    } else if (row.startsWith('# ')) path = row.slice(2);
    else if (row.trim() !== '') notes.push(row);
  }
  return { lines, notes };
}

/** How lines are written. */
export interface LineStyle {
  readonly color: boolean;
  /** Under headings, as a person reads it; otherwise `path:line:text`, as programs do. */
  readonly headings: boolean;
  readonly anchors: boolean;
  /** What to highlight inside of matches. */
  readonly highlight?: RegExp;
}

const paint = (color: boolean, code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
const MAGENTA = 35;
const GREEN = 32;
const DIM = 2;
const BOLD_RED = 31;

/** The lines as text, file by file. */
export function formatLines(lines: readonly FoundLine[], style: LineStyle): string {
  const byPath = new Map<string, FoundLine[]>();
  for (const line of lines) {
    const group = byPath.get(line.path);
    if (group) group.push(line);
    else byPath.set(line.path, [line]);
  }
  const blocks = [...byPath].map(([path, group]) => {
    const rows = group.sort((a, b) => a.line - b.line).map((line) => formatLine(line, style));
    return style.headings ? [paint(style.color, MAGENTA, plainText(path)), ...rows] : rows;
  });
  const text = blocks.map((rows) => rows.join('\n')).join(style.headings ? '\n\n' : '\n');
  return text === '' ? '' : `${text}\n`;
}

function formatLine({ path, line, anchor, text, isMatch }: FoundLine, style: LineStyle): string {
  const mark = isMatch ? ':' : '-';
  const number = style.anchors ? (anchor ?? String(line)) : String(line);
  const prefix = style.headings
    ? `${paint(style.color, isMatch ? GREEN : DIM, number)}${mark}`
    : `${plainText(path)}${mark}${number}${mark}`;
  return prefix + (isMatch ? highlighted(plainText(text), style) : plainText(text));
}

function highlighted(text: string, { color, highlight }: LineStyle): string {
  if (!color || !highlight) return text;
  return text.replaceAll(highlight, (match) => (match === '' ? '' : paint(true, BOLD_RED, match)));
}

/** The pattern as JavaScript understands it, for highlighting only; undefined where it does not. */
export function highlighter(pattern: string, ignoreCase: boolean): RegExp | undefined {
  try {
    return new RegExp(pattern, ignoreCase ? 'gi' : 'g');
  } catch {
    // A pattern of Rust that JavaScript does not know: its matches are shown without colour.
    return undefined;
  }
}
