/** Where a name stands in a source text: in code, in a comment or in a text, and how it is used there. */
import type { CodeFamily } from './languages.ts';

/** How a name is used. */
export type Usage =
  | 'comment'
  | 'string'
  /** `{ name }`: the name of a property and of a variable at once. */
  | 'shorthand'
  /** `thing.name`. */
  | 'member'
  /** `name:` inside braces, or a method among others. */
  | 'key'
  | 'plain';

/** One place. Line and column are from 1 and 0. */
export interface Occurrence {
  readonly line: number;
  readonly column: number;
  readonly usage: Usage;
  /** For members: what stands before the dot, when it is one name. */
  readonly owner?: string;
  /** For shorthands: the module that the braces take from, as in `const { name } = require('x')`. */
  readonly from?: string;
}

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

/** All places of a name in a text. */
export function occurrencesOf(text: string, name: string, family: CodeFamily): Occurrence[] {
  const regions = regionsOf(text, family);
  const found: Occurrence[] = [];
  let line = 1;
  let lineStart = 0;
  let scanned = 0;
  for (const { index } of text.matchAll(nameInText(name))) {
    for (; scanned < index; scanned++) {
      if (text[scanned] !== '\n') continue;
      line++;
      lineStart = scanned + 1;
    }
    found.push({ line, column: index - lineStart, ...usageAt(text, regions, index, name, family) });
  }
  return found;
}

/** Matches a name that is not part of a longer one. */
export function nameInText(name: string): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_$])${escaped}(?![\p{L}\p{N}_$])`, 'gu');
}

function usageAt(
  text: string,
  regions: Uint8Array,
  index: number,
  name: string,
  family: CodeFamily,
): Pick<Occurrence, 'usage' | 'owner' | 'from'> {
  const region = regions[index];
  if (region === 1) return { usage: 'comment' };
  if (region === 2) return { usage: 'string' };
  const before = text.slice(Math.max(0, index - 200), index).trimEnd();
  const after = text.slice(index + name.length, index + name.length + 200).trimStart();
  if (/(?:\.|->|::)$/.test(before) && !before.endsWith('...')) {
    const owner = /([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:\?\.|!\.|\.|->|::)$/u.exec(before)?.[1];
    const isPart = owner !== undefined && /(?:\.|->|::)\s*$/.test(before.slice(0, before.lastIndexOf(owner)));
    return { usage: 'member', ...(owner !== undefined && !isPart && { owner }) };
  }
  if (!family.imports || family.id === 'python') return { usage: 'plain' };
  const brace =
    /[{,]$/.test(before) && /^[,}=]/.test(after) && !after.startsWith('=>') ? braceBefore(text, regions, index) : -1;
  // `import { name }` and `export { name }` are lists of names, not objects.
  if (brace >= 0 && !/\b(?:import|export)\b[\w\s,*]*$/.test(text.slice(Math.max(0, brace - 80), brace))) {
    const from = /^[^{}]*\}\s*=\s*(?:await\s+import|require)\s*\(\s*['"]([^'"]+)['"]/.exec(
      text.slice(index, index + 2000),
    )?.[1];
    return { usage: 'shorthand', ...(from !== undefined && { from }) };
  }
  if (/[{,;]$/.test(before) && /^\??:/.test(after)) return { usage: 'key' };
  return { usage: 'plain' };
}

/** The brace that is the nearest open bracket before a place; -1 when it is another one or a type list stands between. */
function braceBefore(text: string, regions: Uint8Array, index: number): number {
  let depth = 0;
  for (let at = index - 1; at >= 0; at--) {
    if (regions[at] !== 0) continue;
    const char = text[at] as string;
    if (')]}'.includes(char)) depth++;
    else if ('([{'.includes(char) && depth-- === 0) return char === '{' ? at : -1;
    else if (depth === 0 && (char === '<' || char === ';')) return -1;
  }
  return -1;
}
