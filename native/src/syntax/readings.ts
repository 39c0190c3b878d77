/**
 * The ways to read a pattern, which is rarely a whole program: alone; without the ellipses that stand where the grammar
 * wants something else, such as the members of a class; inside of what its language wants around it (`contexts` of the
 * language table); with a string in the place of a module's name; and with blocks in the place of statements. The
 * first reading without an error counts.
 */
import type { LanguageInfo } from './language-table.ts';
import { type MetaVariable, metaVariable } from './meta-variable.ts';

/** One way to read a pattern. */
export interface Reading {
  readonly text: string;
  /** What stands for `$` in it. */
  readonly expando: string;
  /** Where the code of the pattern is in the text. */
  readonly start: number;
  readonly end: number;
  /** Where what the context has behind it starts. */
  readonly after: number;
  /** There is no context; then the parser may make up a token that is missing, as the `;` of a statement. */
  readonly isBare: boolean;
  /** Ellipses that were replaced by blanks, in order. */
  readonly lifted: readonly Replaced[];
  /** Variables that were replaced by strings or blocks. */
  readonly quoted: readonly Replaced[];
}

/** A variable that is not in the text of a reading, and where it was. */
export interface Replaced {
  readonly at: number;
  readonly length: number;
  readonly variable: MetaVariable;
}

/** More ellipses than a person writes are not tried in all combinations. */
const MAX_CHOICES = 4;

/** All readings of a pattern, the plainest first. */
export function readings(code: string, info: LanguageInfo): Reading[] {
  const { expando, otherExpando } = info;
  const plain = readingsWith(code, info, expando);
  // A name that begins with the other stand-in would be taken for a variable.
  if (otherExpando === undefined || new RegExp(`[${otherExpando}][A-Z_]`).test(code.replaceAll('$', ''))) return plain;
  return [...plain, ...readingsWith(code, info, otherExpando)];
}

function readingsWith(code: string, info: LanguageInfo, expando: string): Reading[] {
  const { patternPrefix = '', contexts = [] } = info;
  const own = withExpando(code, expando);
  const choices = subsets(findVariables(own, expando, 'ellipsis'));
  const captures = findVariables(own, expando, 'capture');
  const strings =
    info.quoteVariables === true ? captures : captures.filter(({ at }) => NAMES_MODULE.test(own.slice(0, at)));
  // The `;` after `struct $A { $$$B };` is a node of its own.
  const shorter = own.replace(/\s*;$/, '');

  const read = (
    text: string,
    before: string,
    after: string,
    lifted: Replaced[],
    quoted: Replaced[],
    standIn: (length: number) => string = string,
  ): Reading => {
    const start = patternPrefix.length + before.length;
    const move = (replaced: Replaced): Replaced => ({ ...replaced, at: start + replaced.at });
    const written = replace(replace(text, lifted, blanks), quoted, standIn);
    return {
      text: patternPrefix + before + written + after,
      expando,
      start,
      end: start + written.trimEnd().length,
      after: start + written.length,
      isBare: before === '' && after === '',
      lifted: lifted.map(move),
      quoted: quoted.map(move),
    };
  };
  const around = (quoted: Replaced[], surroundings: readonly (readonly [string, string])[]): Reading[] =>
    surroundings.flatMap(([before, after]) => choices.map((lifted) => read(own, before, after, lifted, quoted)));
  const bare = [['', '']] as const;
  const statements = captures.filter(
    ({ at, length }) => BEFORE_STATEMENT.test(own.slice(0, at)) && AFTER_STATEMENT.test(own.slice(at + length)),
  );
  const blocks = statements.length === 0 ? [] : [...bare, ...contexts];
  return [
    ...around([], bare),
    ...(shorter === own ? [] : choices.map((lifted) => read(shorter, '', '', lifted, []))),
    ...subsets(strings)
      .slice(1)
      .flatMap((quoted) => around(quoted, info.quoteVariables === true ? [...bare, ...contexts] : bare)),
    ...around([], contexts),
    ...blocks.flatMap(([before, after]) =>
      choices.map((lifted) => read(own, before, after, lifted, statements, block)),
    ),
  ];
}

/** What stands before the name of a module. */
const NAMES_MODULE = /\b(?:from|import)\s+$/;

/** What stands around a statement that is one variable, such as those of `if ($A) $B else $C`. */
const BEFORE_STATEMENT = /(?:\)\s*|\b(?:else|do)\s+)$/;
const AFTER_STATEMENT = /^(?:\s*$|\s+(?:else|while)\b)/;

function findVariables(code: string, expando: string, type: MetaVariable['type']): Replaced[] {
  const sigil = expando === '$' ? String.raw`\$` : expando;
  const variables = [...code.matchAll(new RegExp(`(?:${sigil})+(?:[A-Z_][A-Z0-9_]*)?`, 'gu'))];
  return variables.flatMap(({ 0: text, index }) => {
    const variable = metaVariable(text, expando);
    return variable?.type === type ? [{ at: index, length: text.length, variable }] : [];
  });
}

/** None of them, then each alone, then more; of very many only none and all. */
function subsets<T>(items: readonly T[]): T[][] {
  if (items.length > MAX_CHOICES) return [[], [...items]];
  const all = Array.from({ length: 2 ** items.length }, (_, bits) =>
    items.filter((_item, at) => (bits >> at) % 2 === 1),
  );
  return all.toSorted((left, right) => left.length - right.length);
}

const blanks = (length: number): string => ' '.repeat(length);
const block = (length: number): string => `{${' '.repeat(Math.max(0, length - 2))}}`;
const string = (length: number): string => `"${'z'.repeat(Math.max(0, length - 2))}"`;

function replace(code: string, places: readonly Replaced[], by: (length: number) => string): string {
  let text = code;
  for (const { at, length } of places) text = text.slice(0, at) + by(length) + text.slice(at + length);
  return text;
}

/** Replaces the `$` of every metavariable by the stand-in; any other `$` stays. */
function withExpando(code: string, expando: string): string {
  if (expando === '$') return code;
  return code.replace(/\$+(?=([A-Z_])?)/g, (run: string, next: string | undefined) =>
    next !== undefined || run.length === 3 ? expando.repeat(run.length) : run,
  );
}
