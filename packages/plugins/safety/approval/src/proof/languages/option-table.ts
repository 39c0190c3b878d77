/** Reads words of programs whose flags follow no common style (`gcc -Wall -DX=1`, `java -Xmx1g`): by whole words and by beginnings. */
import { type CallWord, knownWord, type Meaning } from '../language.ts';
import type { Role } from '../role.ts';

/** What becomes of a flag: nothing, a role of its value, a pattern that the value must match wholly, or code. */
export type OptionUse = undefined | Exclude<Role, 'command'> | RegExp | ((value: string, meaning: Meaning) => void);

/** The flags of a program. */
export interface OptionTable {
  /** Flags without a value, separated by blanks. */
  readonly plain: string;
  /** Flags whose value is the next word; several names are separated by blanks. */
  readonly next: Readonly<Record<string, OptionUse>>;
  /** Flags whose value is attached; the longest beginning wins. */
  readonly attached: Readonly<Record<string, OptionUse>>;
}

/** Gives the operands back, in order; `stops` ends flags at the first one. */
export function readOptions(
  words: readonly CallWord[],
  meaning: Meaning,
  table: OptionTable,
  stops = false,
): readonly CallWord[] {
  const [program = ''] = meaning.call.path;
  const plain = new Set(table.plain.split(/\s+/));
  const next = entriesOf(table.next);
  const beginnings = [...entriesOf(table.attached)].toSorted(([left], [right]) => right.length - left.length);
  const operands: CallWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as CallWord;
    const { value } = word;
    if (value === undefined || word.isMany)
      return meaning.refuse(`a word of \`${program}\` that is only known when it runs`, word);
    if (!value.startsWith('-') || value === '-') {
      operands.push(word);
      if (stops) return [...operands, ...words.slice(at + 1)];
      continue;
    }
    if (plain.has(value)) continue;
    if (next.has(value)) {
      const taken = words[++at];
      if (taken?.value === undefined || taken.isMany)
        return meaning.refuse(`the flag ${value} of \`${program}\` without a value`, word);
      use(next.get(value), taken.value, `${value} ${taken.value}`, taken);
      continue;
    }
    const found = beginnings.find(([beginning]) => value.startsWith(beginning));
    if (found === undefined) return meaning.refuse(`the flag ${value} of \`${program}\``, word);
    use(found[1], value.slice(found[0].length), value, word);
  }
  return operands;

  function use(option: OptionUse, value: string, spelling: string, word: CallWord): void {
    if (option === undefined) return;
    if (option instanceof RegExp) {
      if (!new RegExp(`^(?:${option.source})$`, option.flags).test(value))
        meaning.refuse(`the flag ${spelling} of \`${program}\``, word);
    } else if (typeof option === 'string') meaning.role(option, { ...knownWord(value), ...placeOf(word) });
    else option(value, meaning);
  }
}

function placeOf({ start, end }: CallWord): Pick<CallWord, 'start' | 'end'> {
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
}

function entriesOf(table: Readonly<Record<string, OptionUse>>): ReadonlyMap<string, OptionUse> {
  return new Map(Object.entries(table).flatMap(([names, use]) => names.split(' ').map((name) => [name, use] as const)));
}

/** The value of a word, or a refusal. */
export function valueOf(word: CallWord | undefined, meaning: Meaning, what: string): string {
  if (word?.value === undefined || word.isMany) return meaning.refuse(`${what} that is only known when it runs`, word);
  return word.value;
}
