/** Flags and operands of a program's words. */
import type { Word } from './words.ts';

/** A flag as it was given. */
export interface Flag {
  /** `-f` or `--force`. */
  readonly name: string;
  readonly value?: Word;
}

/** Flags and operands. */
export interface Options {
  readonly flags: readonly Flag[];
  readonly operands: readonly Word[];
  /** The words from the first operand on, when reading stopped there. */
  readonly rest: readonly Word[];
}

/** How a program's words are read. */
export interface OptionStyle {
  /** Flags that are followed by a value, separated by blanks. */
  readonly takes?: string | undefined;
  /** `-name` is one flag. */
  readonly longFlags?: boolean | undefined;
  /** The first operand ends the flags: what follows belongs to somebody else. */
  readonly stops?: boolean | undefined;
}

/** Reads words. A word of which the start is unknown counts as an operand. */
export function readOptions(
  words: readonly Word[],
  { takes = '', longFlags = false, stops = false }: OptionStyle,
): Options {
  const withValue = new Set(takes.split(' ').filter((name) => name !== ''));
  const flags: Flag[] = [];
  const operands: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    const text = word.value ?? word.prefix;
    if (text === '--' && word.value !== undefined) {
      const after = words.slice(at + 1);
      return { flags, operands: [...operands, ...after], rest: after };
    }
    if (!text.startsWith('-') || text === '-') {
      if (stops) return { flags, operands: words.slice(at), rest: words.slice(at) };
      operands.push(word);
      continue;
    }
    const [name = text] = text.split('=', 1);
    if (text.startsWith('--') || longFlags) {
      if (text.includes('=')) flags.push({ name, value: tailOf(word, name.length + 1) });
      else if (withValue.has(name)) flags.push({ name, ...valueOf(words[++at]) });
      else flags.push({ name });
      continue;
    }
    at += readCluster(word, text, withValue, flags, words[at + 1]);
  }
  return { flags, operands, rest: [] };
}

/** `-xzf file`, `-n5`: gives 1 when the next word is the value. */
function readCluster(word: Word, text: string, withValue: Set<string>, flags: Flag[], next: Word | undefined): 0 | 1 {
  // Some programs have names of two letters, such as `-TT` and `-pe`.
  if (text.length > 2 && withValue.has(text)) {
    flags.push({ name: text, ...valueOf(next) });
    return 1;
  }
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at] ?? ''}`;
    if (!withValue.has(name)) {
      flags.push({ name });
      continue;
    }
    if (at + 1 < text.length || word.value === undefined) {
      flags.push({ name, value: tailOf(word, at + 1) });
      return 0;
    }
    flags.push({ name, ...valueOf(next) });
    return 1;
  }
  return 0;
}

function valueOf(word: Word | undefined): { value?: Word } {
  return word === undefined ? {} : { value: word };
}

/** A word without its first letters. */
export function tailOf(word: Word, length: number): Word {
  const { value, pattern, prefix, ...rest } = word;
  return {
    ...rest,
    ...(value !== undefined && { value: value.slice(length) }),
    ...(pattern !== undefined && { pattern: pattern.slice(length) }),
    prefix: prefix.slice(length),
    template: rest.template.slice(length),
  };
}

/** The flags that are among `names` (separated by blanks). Long ones may be cut short, as programs allow it. */
export function findFlags(flags: readonly Flag[], names: string | undefined): Flag[] {
  if (names === undefined || names === '') return [];
  const wanted = names.split(' ');
  return flags.filter(({ name }) =>
    wanted.some((flag) => flag === name || (name.length > 3 && name.startsWith('--') && flag.startsWith(name))),
  );
}
