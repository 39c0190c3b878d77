/** Goes through XML or XHTML once. No entity is ever looked up elsewhere and no DTD is obeyed. */
import { setImmediate } from 'node:timers/promises';

/** What happens at each piece. Names come without their prefix. */
export interface XmlHandlers {
  open?(name: string, attributes: XmlAttributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Attributes by name without prefix. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>;

const ATTRIBUTE = /([^\s="']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g;
/** Attributes of a longer tag are not looked at. */
const MAX_TAG_CHARS = 64 * 1024;
/** So many pieces are handled before others get their turn. */
const PIECES_PER_TURN = 20_000;
/** Elements of HTML that have no end. */
const VOID = new Set(['br', 'hr', 'img', 'input', 'link', 'meta']);

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
};

/** Calls the handlers for every piece, with a pause for others now and then. What is not closed ends the walk: no text takes more than one pass. */
export async function walkXml(xml: string, handlers: XmlHandlers, signal: AbortSignal): Promise<void> {
  let pieces = 0;
  for (let at = 0; at < xml.length;) {
    if (++pieces % PIECES_PER_TURN === 0) {
      signal.throwIfAborted();
      await setImmediate();
    }
    const start = xml.indexOf('<', at);
    if (start !== at) handlers.text?.(decodeXml(xml.slice(at, start < 0 ? xml.length : start)));
    if (start < 0) return;
    at = afterMarkup(xml, start, handlers);
  }
}

/** Handles what starts with `<` and gives the place behind it. */
function afterMarkup(xml: string, start: number, handlers: XmlHandlers): number {
  const behind = (end: string, from: number) => {
    const at = xml.indexOf(end, from);
    return at < 0 ? xml.length : at + end.length;
  };
  if (xml.startsWith('<!--', start)) return behind('-->', start + 4);
  if (xml.startsWith('<![CDATA[', start)) {
    const end = behind(']]>', start + 9);
    handlers.text?.(xml.slice(start + 9, Math.max(start + 9, end - 3)));
    return end;
  }
  if (xml[start + 1] === '?' || xml[start + 1] === '!') return behind('>', start);
  const end = tagEnd(xml, start);
  tag(xml.slice(start + 1, end - 1), handlers);
  return end;
}

/** Behind the `>` that is not inside of quotes. */
function tagEnd(xml: string, start: number): number {
  for (let at = start + 1; at < xml.length; at++) {
    const sign = xml[at];
    if (sign === '>') return at + 1;
    if (sign !== '"' && sign !== "'") continue;
    at = xml.indexOf(sign, at + 1);
    if (at < 0) break;
  }
  return xml.length;
}

function tag(written: string, { open, close }: XmlHandlers): void {
  const isEnd = written.startsWith('/');
  const isAlone = written.endsWith('/');
  const qualified = /^[^\s/]+/.exec(isEnd ? written.slice(1, 200) : written.slice(0, 200))?.[0];
  if (qualified === undefined) return;
  const name = localName(qualified);
  if (!isEnd) {
    const isLong = written.length > MAX_TAG_CHARS;
    open?.(name, parseAttributes(isLong ? '' : written.slice(qualified.length, isAlone ? -1 : undefined)));
  }
  if (isEnd || isAlone || VOID.has(name)) close?.(name);
}

function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1);
}

function parseAttributes(written: string): XmlAttributes {
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [, name = '', double, single] of written.matchAll(ATTRIBUTE)) {
    attributes[localName(name)] = decodeXml(double ?? single ?? '');
  }
  return attributes;
}

/** Text with its entities replaced. Unknown ones stay as they are. */
export function decodeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{2,8}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name as string] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
