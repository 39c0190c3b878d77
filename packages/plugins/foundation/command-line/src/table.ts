import { nearest } from '@tenon/wording';
import type { CommandSpec } from './command-spec.ts';

/** One command of the table: its words, what the manifest says about it, and whose it is. */
export interface TableEntry {
  readonly key: string;
  readonly spec: CommandSpec;
  readonly plugin: string;
}

/** What a run of words stands for. */
export type Match =
  | { readonly kind: 'command'; readonly entry: TableEntry; readonly rest: readonly string[] }
  /** The first words of several commands ("config"), and the word behind them that fits none. */
  | { readonly kind: 'group'; readonly words: readonly string[]; readonly unknown: string | undefined }
  | { readonly kind: 'none'; readonly unknown: string | undefined };

const MAX_SUGGESTIONS = 3;

/** All commands. Parsing, help, completion and docs read nothing else. */
export class CommandTable {
  readonly entries: readonly TableEntry[];
  readonly #byKey: ReadonlyMap<string, TableEntry>;
  readonly #groups: ReadonlySet<string>;

  constructor(entries: Iterable<TableEntry>) {
    this.entries = [...entries].sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#byKey = new Map(this.entries.map((entry) => [entry.key, entry]));
    this.#groups = new Set(this.entries.flatMap(({ key }) => prefixes(key)));
  }

  /** The table with more flags for one command; its own come first. */
  withFlags(entry: TableEntry, flags: NonNullable<CommandSpec['flags']>): CommandTable {
    const wider = { ...entry, spec: { ...entry.spec, flags: { ...flags, ...entry.spec.flags } } };
    return new CommandTable(this.entries.map((other) => (other === entry ? wider : other)));
  }

  /** The commands that overviews show. */
  get visible(): readonly TableEntry[] {
    return this.entries.filter(({ spec }) => !spec.hidden);
  }

  /** The command with exactly these words. */
  get(key: string): TableEntry | undefined {
    return this.#byKey.get(key);
  }

  /** The command that runs without its name. */
  get root(): TableEntry | undefined {
    return this.entries.find(({ spec }) => spec.root);
  }

  /** The same, if the words look like a line for it. */
  rootFor(words: readonly string[]): TableEntry | undefined {
    const [first = ''] = words;
    // A command's name has no blanks, so quoted text is something that a person says.
    return /^[-@]|\s/.test(first) ? this.root : undefined;
  }

  /** Whether several commands start with these words. */
  isGroup(key: string): boolean {
    return this.#groups.has(key);
  }

  /** The visible commands under a group. */
  under(group: string): readonly TableEntry[] {
    return this.visible.filter(({ key }) => key.startsWith(`${group} `));
  }

  /** The command with the most words that `words` start with. Words behind it stay, flags end the search. */
  match(words: readonly string[]): Match {
    const root = this.rootFor(words);
    if (root) return { kind: 'command', entry: root, rest: words };
    const plain = words.slice(0, flagStart(words));
    for (let length = plain.length; length > 0; length--) {
      const entry = this.get(plain.slice(0, length).join(' '));
      if (entry) return { kind: 'command', entry, rest: words.slice(length) };
      const group = plain.slice(0, length);
      if (this.isGroup(group.join(' '))) return { kind: 'group', words: group, unknown: plain[length] };
    }
    return { kind: 'none', unknown: plain[0] };
  }

  /** The commands or groups that someone most likely meant by words that fit nothing. */
  suggest(words: readonly string[]): readonly string[] {
    const keys = this.visible.map(({ key }) => key);
    const [first = '', ...rest] = words;
    const heads = [...new Set(keys.map((key) => key.split(' ')[0] ?? ''))];
    // "login" for "auth login". What ends very many commands ("list") tells nothing, and is no misspelt word either.
    const endings = heads.includes(first) ? [] : keys.filter((key) => key.endsWith(` ${first}`));
    if (endings.length > 0) return endings.length > MAX_SUGGESTIONS ? [] : endings;
    // "conifg list": correct the first word alone, then see whether the whole fits.
    const head = heads.includes(first) ? first : nearest(first, heads);
    const corrected = head === undefined ? undefined : this.#closest([head, ...rest].join(' '), head, keys);
    const suggestion = corrected ?? nearest(words.join(' '), keys);
    return suggestion === undefined ? [] : [suggestion];
  }

  #closest(line: string, head: string, keys: readonly string[]): string | undefined {
    const family = keys.filter((key) => key === head || key.startsWith(`${head} `));
    const words = line.split(' ');
    for (let length = words.length; length > 1; length--) {
      const text = words.slice(0, length).join(' ');
      // Letters in the wrong order are the likeliest slip of all.
      const match = family.find((key) => sortedLetters(key) === sortedLetters(text)) ?? nearest(text, family);
      if (match) return match;
    }
    return family.includes(head) || this.isGroup(head) ? head : undefined;
  }
}

/** How a command line is written, e.g. `tenon config set KEY VALUE [--project]`. */
export function synopsis({ key, spec }: Pick<TableEntry, 'key' | 'spec'>): string {
  const args = (spec.arguments ?? []).map(({ name, required, variadic }) => {
    const shown = `${name.toUpperCase()}${variadic ? '…' : ''}`;
    return required ? shown : `[${shown}]`;
  });
  const name = spec.root ? `[${key}]` : key;
  const hasFlags = Object.keys(spec.flags ?? {}).length > 0 || spec.json;
  return ['tenon', name, ...(hasFlags ? ['[FLAGS]'] : []), ...args].join(' ');
}

function sortedLetters(text: string): string {
  return [...text].sort().join('');
}

function prefixes(key: string): string[] {
  const words = key.split(' ');
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join(' '));
}

function flagStart(words: readonly string[]): number {
  const at = words.findIndex((word) => word.startsWith('-') && word !== '-');
  return at === -1 ? words.length : at;
}
