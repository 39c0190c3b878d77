/**
 * Flags that stand before a command: `tenon --json trust list`. A line that begins with a flag is one for the command that
 * runs without its name, so the words behind the flags could be a command or a prompt. Two words that name a command are one.
 * A single word ("find", "read") is plain English as well: it is a command only where nothing else can be meant.
 */
import { parseArgs } from 'node:util';
import { flagsOf, parserOptions, withValues } from './flags.ts';
import type { CommandTable, TableEntry } from './table.ts';
import { shellWord } from '@tenon/wording';

/** Words with the command in front, or the two ways in which they can be meant. */
export type CommandFirst =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | {
      readonly kind: 'unclear';
      readonly entry: TableEntry;
      readonly text: string;
      readonly asCommand: string;
      readonly asPrompt: string;
    };

interface FlagUse {
  readonly name: string;
  readonly takesValue: boolean;
}

let last:
  | { readonly table: CommandTable; readonly words: readonly string[]; readonly answer: CommandFirst }
  | undefined;

/** Puts flags that stand before a command behind its name. */
export function commandFirst(table: CommandTable, words: readonly string[]): CommandFirst {
  // A run asks three times: for settings, for the command, and to run it.
  if (last?.table !== table || last.words !== words) last = { table, words, answer: sorted(table, words) };
  return last.answer;
}

function sorted(table: CommandTable, words: readonly string[]): CommandFirst {
  const asTheyAre = { kind: 'words', words } as const;
  const { root } = table;
  if (!root || !words[0]?.startsWith('-')) return asTheyAre;
  const { uses, end } = leadingFlags(root, words);
  const [flags, rest] = [words.slice(0, end), words.slice(end)];
  if (rest.length === 0) return asTheyAre;
  const match = table.match(rest);
  if (match.kind === 'none') return asTheyAre;
  if (match.kind === 'group')
    return match.unknown === undefined ? { kind: 'words', words: [...match.words, ...flags] } : asTheyAre;
  const { entry } = match;
  const name = entry.key.split(' ');
  // A quoted text or an @FILE is a prompt, and the command that may be left out need not be.
  if (entry === root && rest[0] !== root.key) return asTheyAre;
  const moved = { kind: 'words', words: [...name, ...flags, ...match.rest] } as const;
  if (entry === root || name.length > 1) return moved;
  const isAlone = match.rest.every((word) => word.startsWith('-'));
  const isKnown = uses.every((flag) => knows(entry, flag));
  if (isAlone && isKnown) return moved;
  if (!isAlone && !isKnown) return asTheyAre;
  const text = rest.join(' ');
  return {
    kind: 'unclear',
    entry,
    text,
    asCommand: line(...name, ...match.rest, ...(isKnown ? flags : [])),
    // One word in quotes is still one word.
    asPrompt: rest.length > 1 ? line(...flags, text) : line(root.key, ...flags, text),
  };
}

/** The flags before the first other word, and where that is. */
function leadingFlags(root: TableEntry, words: readonly string[]): { uses: readonly FlagUse[]; end: number } {
  const specs = flagsOf(root.spec);
  const options = parserOptions(specs);
  const { tokens } = parseArgs({
    args: [...withValues(words, specs)],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const uses: FlagUse[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') return { uses, end: token.index };
    // What stands behind the two dashes is said, not a command.
    if (token.kind === 'option-terminator') break;
    uses.push({ name: token.name, takesValue: token.value !== undefined });
  }
  return { uses, end: words.length };
}

function knows({ spec }: TableEntry, { name, takesValue }: FlagUse): boolean {
  const match = Object.entries(flagsOf(spec)).find(([long, { short }]) => long === name || short === name);
  return match !== undefined && (match[1].type === 'string') === takesValue;
}

function line(...words: readonly string[]): string {
  return ['tenon', ...words.map(shellWord)].join(' ');
}
