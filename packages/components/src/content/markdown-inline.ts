/** Text inside a block: emphasis, code, links. */
import type { Token } from 'marked';
import { LastValue } from './inline-memo.ts';
import type { MarkdownStyle, Paint } from './markdown-style.ts';
import { innerTokens } from './marked-lexer.ts';
import { columns, fitted, isAscii } from './text-tools.ts';

/** Stand around linked text while it is wrapped: they take no columns, and cleaned text cannot hold them. */
const LINK_START = '\x01';
const LINK_END = '\x02';
const LINKABLE = /^(?:https?:\/\/|mailto:|file:\/\/)/i;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  rarr: '→',
  larr: '←',
};

/** Styled text that is not wrapped yet, and the addresses of its links in order. */
export interface InlineText {
  readonly text: string;
  readonly urls: readonly string[];
}

/** Tokens that frames share are styled and wrapped once. */
const styledBefore = new LastValue<Token, InlineText>();
const wrappedBefore = new LastValue<InlineText, string[]>();

/** Styles tokens inside a block; every piece of text gets all of its styles, so that none is closed too early. */
export function inlineText(tokens: readonly Token[], style: MarkdownStyle, paint: Paint): InlineText {
  const mark = `${tokens.length} ${style.theme.name} ${paint('x')}`;
  return styledBefore.get(tokens[0], mark, () => styledText(tokens, style, paint));
}

function styledText(tokens: readonly Token[], style: MarkdownStyle, paint: Paint): InlineText {
  const urls: string[] = [];
  // The text was clean before it was lexed, but the lexer reads character references, and `&#27;` is an escape.
  const clean: Paint = (text) => style.text.sanitize(text);
  const walk = (list: readonly Token[], outer: Paint): string => list.map((token) => piece(token, outer)).join('');
  const link = (label: string, href: string, outer: Paint): string => {
    const { theme } = style;
    const url = address(href);
    if (url === undefined) return label;
    if (style.link) {
      urls.push(url);
      return LINK_START + label + LINK_END;
    }
    const shown = unpainted(label);
    if (shown === href || shown === decodeEntities(href) || `mailto:${shown}` === url || shown === url) return label;
    return `${label} ${outer(theme.fg('mdLinkUrl', `(${url})`))}`;
  };
  const piece = (token: Token, outer: Paint): string => {
    const { theme } = style;
    const inner = innerTokens(token);
    const linkPaint: Paint = (text) => outer(theme.fg('mdLink', theme.underline(text)));
    switch (token.type) {
      case 'strong':
        return walk(inner, (text) => outer(theme.bold(text)));
      case 'em':
        return walk(inner, (text) => outer(theme.italic(text)));
      case 'del':
        return walk(inner, (text) => outer(theme.strikethrough(text)));
      case 'codespan':
        return outer(theme.fg('mdCode', oneLine(clean(token['text'] as string))));
      case 'br':
        return '\n';
      case 'link': {
        const href = token['href'] as string;
        return link(walk(inner, address(href) === undefined ? outer : linkPaint), href, outer);
      }
      case 'image':
        return link(linkPaint(oneLine(clean((token['text'] as string) || 'image'))), token['href'] as string, outer);
      case 'checkbox':
        return '';
      case 'html':
        return painted(clean(token.raw), outer);
      case 'escape':
        return painted(clean(token['text'] as string), outer);
      default:
        return inner.length > 0 ? walk(inner, outer) : painted(clean(decodeEntities(token.raw)), outer);
    }
  };
  return { text: walk(tokens, paint), urls };
}

/** Rows of inline text, with its links put in. */
export function inlineRows(inline: InlineText, style: MarkdownStyle, width: number): string[] {
  return wrappedBefore.get(inline, String(width), () => wrappedRows(inline, style, width));
}

function wrappedRows({ text, urls }: InlineText, style: MarkdownStyle, width: number): string[] {
  const tools = style.text;
  if (text.length <= width && isAscii(text)) return [text];
  const rows = tools.wrap(text, width).map((row) => fitted(tools, row, width));
  return urls.length === 0 ? rows : withLinks(rows, urls, style);
}

function withLinks(rows: readonly string[], urls: readonly string[], style: MarkdownStyle): string[] {
  const link = style.link ?? ((text: string) => text);
  let next = 0;
  let open: string | undefined;
  return rows.map((row) => {
    let done = '';
    // oxlint-disable-next-line no-control-regex -- the two marks are control characters
    for (const part of row.split(/([\x01\x02])/)) {
      if (part === LINK_START) open = urls[next++];
      else if (part === LINK_END) open = undefined;
      else done += open !== undefined && columns(style.text, part) > 0 ? link(part, open) : part;
    }
    return done;
  });
}

/** The address if it may become a link: of a known kind, and without anything that could end a sequence. */
function address(reference: string): string | undefined {
  const href = decodeEntities(reference);
  if (!LINKABLE.test(href)) return undefined;
  // oxlint-disable-next-line no-control-regex -- what must not be in an address
  return href.replace(/[\x00-\x20\x7f-\x9f]/g, (char) => encodeURIComponent(char));
}

/** Line breaks of the source stay, without the spaces around them. */
function painted(text: string, paint: Paint): string {
  return text
    .split('\n')
    .map((line, at, all) => {
      const start = at > 0 ? line.trimStart() : line;
      return paint(at < all.length - 1 ? start.trimEnd() : start);
    })
    .join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function unpainted(text: string): string {
  // oxlint-disable-next-line no-control-regex -- styles begin with an escape
  return text.replace(/\x1b\[[0-9;:]*m/g, '');
}

/** Character references, except those of control characters, which stay as they are written. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name as string] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal as string);
    const control = code < 32 || (code >= 127 && code < 160) || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
    return control ? whole : String.fromCodePoint(code);
  });
}
