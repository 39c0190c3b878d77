/** Values in command lines: each is text and nothing else, wherever it stands. Where that cannot be promised, it may not stand. */
import { asText, PLACE, valueAt, type Values } from './expressions.ts';

/** Where a value stands in a command line. `unsafe`: where sh would read it as more than text, or where that is not certain. */
export interface ShellPlace {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly within: 'words' | "'" | '"' | 'unsafe';
}

/** What sh reads `${…}` and `$((…))` as without doubt. */
const SIMPLE_EXPANSION = /\$\{[^'"\\`{}$]*\}|\$\(\([^()'"\\`{}]*\)\)/y;
/** Here-documents, backquotes, `$'…'`, and expansions with quotes in them have rules of their own. */
const UNCLEAR = /<<|`|\$'|\$\{(?!\{)|\$\(\(/y;
const STARTS_WORD = /[\s;&|()]/;

/** Where the values of a command line stand. */
export function shellPlaces(text: string): readonly ShellPlace[] {
  const places: ShellPlace[] = [];
  /** What the text is inside of, the innermost last: quotes, and the parentheses of commands. */
  const inside: ("'" | '"' | '(')[] = [];
  let isUnclear = false;
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (at < text.length) {
    const here = inside.at(-1);
    const sign = text.charAt(at);
    const value = valueFrom(text, at);
    if (value) {
      const isExpansion = here !== "'" && /[\\$]/.test(text.charAt(at - 1));
      const within = here === "'" || here === '"' ? here : 'words';
      places.push({ ...value, within: isUnclear || isExpansion ? 'unsafe' : within });
      at = value.end;
    } else if (here === "'") {
      if (sign === "'") inside.pop();
      at += 1;
    } else if (sign === '\\') {
      at += valueFrom(text, at + 1) ? 1 : 2;
    } else if (sign === '"') {
      if (here === '"') inside.pop();
      else inside.push('"');
      at += 1;
    } else if (match(SIMPLE_EXPANSION) !== undefined) {
      at += match(SIMPLE_EXPANSION)?.length ?? 1;
    } else if (match(UNCLEAR) !== undefined && !(here === '"' && /[<']/.test(match(UNCLEAR) ?? ''))) {
      isUnclear = true;
      at += 1;
    } else if (text.startsWith('$(', at)) {
      inside.push('(');
      at += 2;
    } else if (here === '"') {
      at += 1;
    } else if (sign === "'") {
      inside.push("'");
      at += 1;
    } else if (sign === '(') {
      inside.push('(');
      at += 1;
    } else if (sign === ')') {
      if (here === '(') inside.pop();
      at += 1;
    } else if (at === 0 || STARTS_WORD.test(text.charAt(at - 1))) {
      // A line break in a value would end a comment; the parentheses of `case` have no partner.
      if (sign === '#') {
        const end = text.indexOf('\n', at);
        const stop = end === -1 ? text.length : end;
        for (; at < stop; at += 1) {
          const commented = valueFrom(text, at);
          if (!commented) continue;
          places.push({ ...commented, within: 'unsafe' });
          at = commented.end - 1;
        }
      } else {
        if (here === '(' && /^case\b/.test(text.slice(at, at + 5))) isUnclear = true;
        at += 1;
      }
    } else at += 1;
  }
  return places;
}

/** A command line with its values. Throws what `unsafe` and `missing` make of a path. */
export function commandLine(
  text: string,
  values: Values,
  { missing, unsafe }: { missing(path: string): never; unsafe(path: string): never },
): string {
  let line = '';
  let at = 0;
  for (const { path, start, end, within } of shellPlaces(text)) {
    if (within === 'unsafe') unsafe(path);
    const value = valueAt(values, path);
    const word = quoted(value === undefined ? missing(path) : asText(value));
    // In quotes: these end, the value stands in its own, and they begin again.
    line += text.slice(at, start) + (within === 'words' ? word : `${within}${word}${within}`);
    at = end;
  }
  return line + text.slice(at);
}

/** Always in quotes: a bare `2` before `>` would be more than a word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function valueFrom(text: string, at: number): Pick<ShellPlace, 'path' | 'start' | 'end'> | undefined {
  if (!text.startsWith('{{', at)) return undefined;
  const pattern = new RegExp(PLACE.source, 'y');
  pattern.lastIndex = at;
  const [whole, path] = pattern.exec(text) ?? [];
  return whole === undefined || path === undefined ? undefined : { path, start: at, end: at + whole.length };
}
