/** Where in a source text code, comments and texts are, for languages that are not parsed. */
import type { CodeFamily } from './languages.ts';

type Region = 'code' | 'comment' | 'string';

/** Marks every character of a text as code, comment or string. */
export function regionsOf(text: string, family: CodeFamily): Uint8Array {
  const regions = new Uint8Array(text.length);
  const paint = (from: number, to: number, region: Region) =>
    regions.fill(region === 'code' ? 0 : region === 'comment' ? 1 : 2, from, to);
  let at = 0;
  const scan = (until: string | undefined): void => {
    let depth = 0;
    while (at < text.length) {
      if (until !== undefined && text[at] === '{') depth++;
      if (until !== undefined && text[at] === '}' && depth-- === 0) return;
      const start = at;
      const block = family.block.find(([open]) => text.startsWith(open, at));
      if (block) {
        const end = text.indexOf(block[1], at + block[0].length);
        at = end < 0 ? text.length : end + block[1].length;
        paint(start, at, 'comment');
      } else if (family.line.some((mark) => text.startsWith(mark, at)) && !isShebangOrUrl(text, at)) {
        const end = text.indexOf('\n', at);
        at = end < 0 ? text.length : end;
        paint(start, at, 'comment');
      } else if (family.charQuote && text[at] === "'") {
        const char = /^'(?:\\[^\n]+?|[^'\\\n])'/.exec(text.slice(at, at + 12));
        at += char?.[0].length ?? 1;
        if (char) paint(start, at, 'string');
      } else {
        const quote = family.quotes.find((mark) => text.startsWith(mark, at));
        if (quote === undefined) at++;
        else readString(quote);
      }
    }
  };
  const readString = (quote: string): void => {
    let start = at;
    at += quote.length;
    while (at < text.length) {
      if (text[at] === '\\') at += 2;
      else if (text.startsWith(quote, at)) {
        at += quote.length;
        break;
      } else if (text[at] === '\n' && !family.multiline.includes(quote)) break;
      else if (quote === '`' && text.startsWith('${', at)) {
        // What stands in `${…}` is code again.
        paint(start, at + 2, 'string');
        at += 2;
        scan('}');
        start = at;
      } else at++;
    }
    at = Math.min(at, text.length);
    paint(start, at, 'string');
  };
  scan(undefined);
  return regions;
}

function isShebangOrUrl(text: string, at: number): boolean {
  return text.startsWith('//', at) && text[at - 1] === ':';
}
