/** Words as programs get them: braces, tilde, variables, substitutions, splitting, globs, in the order of bash. */
import { dirname, resolve } from 'node:path';
import { type CallWord, NotUnderstood } from '../language.ts';
import { expandBraces } from './braces.ts';
import { expandGlob, hasGlob, type Piece } from './globs.ts';
import type { Part, Script, WordNode } from './syntax.ts';
import { isNumeric, known, NUMBER, type Value } from './values.ts';
import { cutValue } from './cut.ts';

/** What words are expanded with. */
export interface Expansion {
  readonly home: string;
  readonly cwd: string;
  /** True when files may have been made since the proof began: then the disk does not show what a glob finds. */
  readonly isChanged: boolean;
  variable(name: string): Value;
  /** The words that `"$@"` is; undefined where they are not all known. */
  allWords(): readonly string[] | undefined;
  /** Proves the script, and says what is known about its output. */
  output(script: Script): Promise<Value>;
}

/** The words that written words become. */
export async function expandWords(words: readonly WordNode[], expansion: Expansion): Promise<CallWord[]> {
  const found: CallWord[] = [];
  for (const word of words) {
    const { start, end } = word;
    const all = isAllWords(word) ? expansion.allWords() : undefined;
    if (all) found.push(...all.map((value) => ({ value, prefix: value, isMany: false, start, end })));
    else for (const parts of expandBraces(word)) found.push(...(await expandOne(parts, word, expansion)));
  }
  return found;
}

/** `"$@"` and nothing else. */
function isAllWords({ parts }: WordNode): boolean {
  const [only, ...more] = parts.filter((part) => part.type !== 'text' || part.value !== '' || !part.quoted);
  if (only?.type !== 'variable' || more.length > 0) return false;
  return only.name === '@' && only.quoted && only.cut === undefined && only.fallback === undefined;
}

/** A word that stays one: the value of an assignment, a here-document, the target of a redirection. */
export async function expandValue(word: WordNode, expansion: Expansion, isAssignment = false): Promise<Value> {
  const builder = new FieldBuilder(word);
  const parts = withTilde(word.parts, word, expansion, isAssignment);
  for (const part of parts) builder.add(part, await valueOf(part, expansion), part.type !== 'text' || part.quoted);
  const [field] = builder.fields();
  return field === undefined ? known('') : field.value();
}

async function expandOne(parts: readonly Part[], word: WordNode, expansion: Expansion): Promise<CallWord[]> {
  const builder = new FieldBuilder(word);
  for (const part of withTilde(parts, word, expansion, false))
    builder.add(part, await valueOf(part, expansion), !('quoted' in part) || part.quoted);
  return builder.fields().flatMap((field) => wordsOf(field, word, expansion));
}

async function valueOf(part: Part, expansion: Expansion): Promise<Value> {
  switch (part.type) {
    case 'text':
      return known(part.value);
    case 'number':
      for (const name of part.names)
        if (!isNumeric(expansion.variable(name)))
          throw new NotUnderstood('arithmetic with a variable that may hold code');
      return NUMBER;
    case 'process':
      await expansion.output(part.script);
      // A descriptor: whoever reads it gets the output.
      return known('/dev/fd/63');
    case 'output':
      return expansion.output(part.script);
    case 'variable': {
      const value = expansion.variable(part.name);
      if (part.cut) return cutValue(value, part.cut);
      if (part.fallback === undefined) return value;
      if (value.text !== undefined && value.text !== '') return value;
      const fallback = await expandValue({ parts: part.fallback, start: 0, end: 0 }, expansion);
      return value.text === '' ? fallback : { text: undefined, prefix: '' };
    }
  }
}

/** Puts the home folder in the place of a tilde; other uses of a tilde are not understood. */
function withTilde(
  parts: readonly Part[],
  word: WordNode,
  { home }: Expansion,
  isAssignment: boolean,
): readonly Part[] {
  const letters = parts.flatMap((part) => (part.type === 'text' && !part.quoted ? [part.value] : ['\0'])).join('');
  if (/[=:]~/.test(letters) && (isAssignment || /^[A-Za-z_]\w*=/.test(letters)))
    throw new NotUnderstood('a tilde inside of a word', word);
  if (!letters.startsWith('~')) return parts;
  const [first, ...rest] = parts;
  if (!/^~(\/|$)/.test(letters) || first?.type !== 'text') throw new NotUnderstood('a tilde with a name', word);
  return [
    { type: 'text', value: home, quoted: true },
    ...(first.value.length > 1 ? [{ ...first, value: first.value.slice(1) }] : []),
    ...rest,
  ];
}

/** What becomes one word. */
class Field {
  pieces: Piece[] = [];
  isKnown = true;
  isMany = false;
  isStarted = false;
  /** Kept while what follows cannot lead elsewhere. */
  below: readonly string[] | undefined;
  prefix = '';
  isNumber = false;
  isOwnProcess = false;

  literal(text: string, quoted: boolean): void {
    this.isStarted ||= quoted || text !== '';
    if (this.isKnown) {
      this.pieces.push({ text, quoted });
      this.prefix += text;
      return;
    }
    this.isNumber &&= text === '';
    this.isOwnProcess &&= text === '';
    if (text.includes('..') || (!quoted && /[*?[]/.test(text))) {
      this.below = undefined;
      if (!quoted) this.isMany ||= /[*?[]/.test(text);
    }
  }

  unknown(value: Value, quoted: boolean): void {
    const isFirst = this.isKnown && this.prefix === '';
    this.isNumber = isFirst && value.isNumber === true && value.mayBeEmpty !== true;
    this.isOwnProcess = isFirst && value.isOwnProcess === true;
    this.isStarted = true;
    if (this.isKnown) this.prefix += quoted || value.isNumber || value.below ? value.prefix : '';
    this.isKnown = false;
    // A number is one word, unless nothing but it could be there, and it is not.
    if (!quoted && (value.isNumber !== true || (value.mayBeEmpty === true && this.prefix === ''))) this.isMany = true;
    const isPath = value.below !== undefined && isFirst && (value.isList !== true || !quoted);
    this.below = isPath ? value.below : undefined;
  }

  value(): Value {
    if (this.isKnown) return known(this.prefix);
    const { prefix, below, isNumber, isOwnProcess } = this;
    return {
      text: undefined,
      prefix,
      ...(below && { below }),
      ...(isNumber && { isNumber }),
      ...(isOwnProcess && { isOwnProcess }),
    };
  }
}

/** Splits values at blanks where they are not quoted. */
class FieldBuilder {
  readonly #fields: Field[] = [];
  readonly #word: WordNode;
  #field = new Field();

  constructor(word: WordNode) {
    this.#word = word;
  }

  add(part: Part, value: Value, quoted: boolean): void {
    // `"$@"` is any number of words.
    if (part.type === 'variable' && part.name === '@') {
      this.#field.unknown(value, false);
      return;
    }
    if (value.text === undefined) return this.#field.unknown(value, quoted);
    if (part.type === 'text' || quoted) return this.#field.literal(value.text, quoted);
    if (value.text.includes('\\')) throw new NotUnderstood('a backslash in a value without quotes', this.#word);
    for (const piece of value.text.split(/([ \t\n]+)/)) {
      if (piece === '') continue;
      if (/^[ \t\n]/.test(piece)) this.#close();
      else this.#field.literal(piece, false);
    }
  }

  #close(): void {
    if (this.#field.isStarted) this.#fields.push(this.#field);
    this.#field = new Field();
  }

  fields(): readonly Field[] {
    this.#close();
    return this.#fields;
  }
}

function wordsOf(field: Field, word: WordNode, expansion: Expansion): CallWord[] {
  const { start, end } = word;
  const { prefix, below, isMany } = field;
  const own = field.isOwnProcess ? { isOwnProcess: true as const } : {};
  if (!field.isKnown) return [{ value: undefined, prefix, isMany, ...(below && { below }), ...own, start, end }];
  const literal: CallWord = { value: prefix, prefix, isMany: false, start, end };
  if (!hasGlob(field.pieces)) return [literal];
  const result = expansion.isChanged ? 'unclear' : expandGlob(field.pieces, expansion.cwd);
  if (result === 'unclear') return [unclearGlob(field, word, expansion)];
  const sweeps = sweptFolder(field, expansion);
  if (result.paths.length === 0) {
    const hides = { ...(sweeps !== undefined && { sweeps }), ...(couldHide(prefix) && { isUnmatched: true as const }) };
    return [{ ...literal, glob: 'one', ...hides }];
  }
  return result.paths.map((path) => ({
    value: path,
    prefix: path,
    isMany: false,
    start,
    end,
    glob: result.paths.length > 1 ? ('several' as const) : ('one' as const),
    ...(sweeps !== undefined && { sweeps }),
  }));
}

/**
 * `.ss[h]/x` and `.ss*` with something behind it: whoever writes this knows the name, and the folder may be there when it runs.
 * `src/*.ts`, `**` and `*.[jt]s` are ordinary.
 */
function couldHide(pattern: string): boolean {
  const parts = pattern.split('/');
  const last = parts.pop() ?? '';
  return /^\.[^/]*[?[]/.test(last) || parts.some((part) => /[*?[]/.test(part) && !/^\*+$/.test(part));
}

/** The folder of which `dir/*` finds everything. */
function sweptFolder({ pieces, prefix }: Field, { cwd }: Expansion): string | undefined {
  const last = pieces.at(-1);
  const folder = /^(?:[^*?[]*\/)?(?=\*+\/?$)/.exec(prefix)?.[0];
  return folder === undefined || last?.quoted !== false ? undefined : resolve(cwd, folder === '' ? '.' : folder);
}

/** Whatever it finds lies below the folder that is written in front of it. */
function unclearGlob(field: Field, word: WordNode, { cwd }: Expansion): CallWord {
  const { start, end } = word;
  const fixed = /^[^*?[]*\//.exec(field.prefix)?.[0];
  if (fixed === undefined || field.prefix.slice(fixed.length).includes('..')) {
    return { value: undefined, prefix: '', isMany: true, glob: 'several', start, end };
  }
  const folder = resolve(cwd, fixed);
  return { value: undefined, prefix: fixed, isMany: true, below: [folder], glob: 'several', start, end };
}

/** The folders that paths lie in. */
export function foldersOf(paths: readonly string[], cwd: string): readonly string[] {
  return [...new Set(paths.map((path) => dirname(resolve(cwd, path))))];
}
