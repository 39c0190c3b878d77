/** Blocks as rows: headings, lists, quotes, code, tables. */
import type { Token, Tokens } from 'marked';
import { inlineRows, inlineText } from './markdown-inline.ts';
import { type MarkdownStyle, type Paint, plain } from './markdown-style.ts';
import { tableRows } from './markdown-table.ts';
import { innerTokens } from './marked-lexer.ts';
import { columns, fitted, wrapped } from './text-tools.ts';

/** What is around a block. */
export interface BlockContext {
  readonly style: MarkdownStyle;
  /** Code is drawn without colours, because it may still change. */
  readonly open: boolean;
}

/** What stands above the next block: it decides about a blank row between them, and about its number in a list. */
export interface Above {
  kind: string | undefined;
  blank: boolean;
  /** The number that the next ordered list goes on with; 0 if it begins with its own. */
  carried: number;
  /** The number that the item behind the last one has. */
  next: number;
}

/** Text beside a bullet or a bar gets at least this much room; without it the bullet goes. */
const LEAST_ROOM = 8;
const WIDEST_RULE = 80;
const APART = new Set(['code', 'table', 'hr']);
const BLANK_END = /\n[ \t]*\n[ \t]*$/;

/** Nothing above. */
export function nothingAbove(): Above {
  return { kind: undefined, blank: false, carried: 0, next: 0 };
}

/** The rows of blocks, with blank rows where the source has them and around code, tables and rules. */
export function blockRows(
  tokens: readonly Token[],
  width: number,
  context: BlockContext,
  base: Paint,
  above: Above = nothingAbove(),
): string[] {
  const rows: string[] = [];
  for (const token of tokens) {
    if (token.type === 'space') above.blank = true;
    const own = tokenRows(token, width, context, base, above);
    if (own.length > 0) {
      if (above.kind !== undefined && needsGap(above, token.type)) rows.push('');
      for (const row of own) rows.push(row);
      above.kind = token.type;
      above.blank = false;
    }
    if (BLANK_END.test(token.raw)) above.blank = true;
  }
  return rows;
}

function needsGap({ kind = '', blank }: Above, next: string): boolean {
  return blank || APART.has(kind) || APART.has(next) || next === 'heading';
}

function tokenRows(token: Token, width: number, context: BlockContext, base: Paint, above: Above): string[] {
  const { style } = context;
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'heading':
      return headingRows(token as Tokens.Heading, width, style);
    case 'code':
      return codeRows(token as Tokens.Code, width, context);
    case 'hr':
      return [style.theme.fg('mdHr', '─'.repeat(Math.min(width, WIDEST_RULE)))];
    case 'blockquote':
      return quoteRows(token as Tokens.Blockquote, width, context, base);
    case 'list':
      return listRows(token as Tokens.List, width, context, base, above);
    case 'table':
      return tableRows(token as Tokens.Table, style, width, base);
    default: {
      const inner = innerTokens(token);
      const text = inlineText(inner.length > 0 ? inner : [token], style, base);
      return text.text.trim() === '' ? [] : inlineRows(text, style, width);
    }
  }
}

function headingRows({ depth, tokens }: Tokens.Heading, width: number, style: MarkdownStyle): string[] {
  const { theme } = style;
  const colored: Paint = (text) => theme.fg('mdHeading', text);
  const paint: Paint = (text) => {
    if (depth === 1) return colored(theme.bold(theme.underline(text)));
    if (depth === 2) return colored(theme.bold(text));
    return colored(depth === 3 ? theme.bold(theme.italic(text)) : theme.italic(text));
  };
  const text = inlineText(tokens, style, paint);
  // Where styles cannot tell the level, the signs of the source do.
  const marked = theme.bold('x') === 'x' ? { ...text, text: `${'#'.repeat(depth)} ${text.text}` } : text;
  return text.text === '' ? [] : inlineRows(marked, style, width);
}

/** A code block: a faint label with the language, then lines that can be copied as they are. */
export function codeRows(
  code: Pick<Tokens.Code, 'text' | 'lang' | 'codeBlockStyle'>,
  width: number,
  context: BlockContext,
): string[] {
  const { style, open } = context;
  const language = fenceLanguage(code.lang ?? '');
  const clean = style.text.sanitize(code.text);
  const source = code.codeBlockStyle === 'indented' ? clean.replace(/\n+$/, '') : clean;
  const colored = open ? undefined : style.highlighter?.highlight(source, language, style.theme);
  const lines = colored ?? source.split('\n').map((line) => style.theme.fg('mdCodeBlock', line));
  const rows = codeLabel(code.lang ?? '', width, style);
  for (const line of lines) for (const row of wrapped(style.text, line, width)) rows.push(row);
  return rows;
}

/** The row above a code block; none without an info string. */
export function codeLabel(info: string, width: number, style: MarkdownStyle): string[] {
  const label = style.text.sanitize(info).trim().replace(/\s+/g, ' ');
  return label === ''
    ? []
    : [style.theme.fg('mdCodeBlockBorder', fitted(style.text, style.text.truncate(label, width), width))];
}

/** The language of an info string. */
export function fenceLanguage(info: string): string {
  return /^[^\s{,:]*/.exec(info.trim())?.[0].toLowerCase() ?? '';
}

function quoteRows(quote: Tokens.Blockquote, width: number, context: BlockContext, base: Paint): string[] {
  const { theme } = context.style;
  const bar = theme.fg('mdQuoteBorder', '│');
  const room = width - 2 >= Math.min(LEAST_ROOM, 4) ? width - 2 : width;
  const paint: Paint = (text) => base(theme.fg('mdQuote', text));
  const rows = blockRows(quote.tokens, room, context, paint);
  if (room === width) return rows;
  return rows.map((row) => (row === '' ? bar : `${bar} ${row}`));
}

function listRows(list: Tokens.List, width: number, context: BlockContext, base: Paint, above: Above): string[] {
  const { theme } = context.style;
  const rows: string[] = [];
  let number = list.ordered ? above.carried || Number(list.start) : 0;
  above.carried = 0;
  let blank = false;
  for (const item of list.items) {
    const bullet = list.ordered ? `${number++}.` : '-';
    const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : '';
    const inset = bullet.length + 1 + box.length;
    const room = width - inset >= LEAST_ROOM ? width - inset : width;
    const own = blockRows(item.tokens, room, context, base);
    if (own.length === 0) own.push('');
    if (blank) rows.push('');
    for (const [at, row] of own.entries()) {
      if (at === 0 && room < width) rows.push(`${theme.fg('mdListBullet', bullet)} ${box}${row}`.trimEnd());
      else if (at === 0) rows.push(...tight(bullet, box, row, width, context.style));
      else rows.push(row === '' || room === width ? row : ' '.repeat(inset) + row);
    }
    blank = BLANK_END.test(item.raw);
  }
  above.next = number;
  return rows;
}

/** A bullet where there is no room beside it: in front of the text if both fit, else the text alone. */
function tight(bullet: string, box: string, row: string, width: number, style: MarkdownStyle): string[] {
  const together = `${style.theme.fg('mdListBullet', bullet)} ${box}${row}`.trimEnd();
  const shown = bullet.length + 1 + box.length + columns(style.text, row);
  return shown <= width && !style.link ? [together] : [row];
}

/** Text that is not taken apart, because that would cost too much. */
export function plainRows(text: string, width: number, style: MarkdownStyle): string[] {
  const base = style.base ?? plain;
  return text.split('\n').flatMap((line) => wrapped(style.text, base(line), width));
}
