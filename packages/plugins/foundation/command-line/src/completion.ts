/**
 * Completion scripts. Commands, flags and choices are written into the script, so that most completions cost no
 * process; plugins, settings and keys of slots come from `tenon __complete`.
 *
 * People source these scripts, and packs bring their own commands: nothing of a manifest may ever be expanded by the
 * shell. Names that are not plain words are left out, all else stands in single quotes, and the scripts compare
 * candidates themselves instead of using `compgen -W`, which expands its words.
 */
import type { ArgumentSpec, FlagSpec } from './command-spec.ts';
import { bashDriver } from './completion-bash.ts';
import { fishDriver } from './completion-fish.ts';
import { powershellDriver, powershellQuote } from './completion-powershell.ts';
import { zshDriver } from './completion-zsh.ts';
import { flagsOf } from './flags.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { plainLine } from '@tenon/wording';
import type { CommandTable, TableEntry } from './table.ts';
import { topics } from './topics.ts';

/** The shells that have a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** A shell with a completion script. */
export type Shell = (typeof SHELLS)[number];

/** What can stand at one place of the command line. */
interface Node {
  readonly path: string;
  readonly subcommands: readonly Item[];
  /** Kinds of the positional arguments, see `kindOf`; a leading `*` takes all the rest. */
  readonly kinds: readonly string[];
  /** Flags that only this place has; those of every place are `GENERAL`. */
  readonly own: Flags;
}

/** Flags, as the scripts have them. */
interface Flags {
  /** Lines of a name and a summary. */
  readonly all: readonly string[];
  /** Those with a value, and the kind of that value. */
  readonly valued: readonly string[];
}

interface Item {
  readonly name: string;
  readonly summary: string;
}

/** The completion script of a shell. */
export function completionScript(shell: Shell, table: CommandTable): string {
  const nodes = nodesOf(table);
  switch (shell) {
    case 'bash':
      return bashDriver(posixTable(nodes));
    case 'zsh':
      return zshDriver(posixTable(nodes));
    case 'fish':
      return fishDriver(fishTable(nodes));
    case 'powershell':
      return powershellDriver(powershellTable(nodes));
  }
}

function nodesOf(table: CommandTable): Node[] {
  const entries = table.visible.filter(({ key }) => key.split(' ').every(isPlain));
  const groups = entries.flatMap(({ key }) => key.split(' ').map((_, index, words) => words.slice(0, index).join(' ')));
  const paths = [...new Set(['', ...groups, ...entries.map(({ key }) => key)])].sort();
  return paths.map((path) => nodeOf(path, entries, table));
}

function nodeOf(path: string, entries: readonly TableEntry[], table: CommandTable): Node {
  const below = entries.filter(({ key }) => path === '' || key.startsWith(`${path} `));
  const names = new Map<string, string>();
  for (const { key, spec } of below) {
    const [name = '', ...more] = key.slice(path === '' ? 0 : path.length + 1).split(' ');
    if (name === '') continue;
    if (more.length === 0) names.set(name, spec.summary);
    else if (!names.has(name))
      names.set(name, `Commands: ${table.under(`${path} ${name}`.trim()).map(last).join(', ')}`);
  }
  // Without a command, the line is one for the command that may be left out.
  const spec = (path === '' ? table.root : table.get(path))?.spec;
  return {
    path,
    subcommands: [...names].map(([name, summary]) => ({ name, summary })),
    kinds: [
      // The first word is a command as long as none is there.
      ...(path === '' ? ['-'] : []),
      ...(spec?.arguments ?? []).map((argument) => `${argument.variadic ? '*' : ''}${kindOf(argument)}`),
    ],
    own: flagLines(spec ? flagsOf(spec) : {}, (name) => !Object.hasOwn(GLOBAL_FLAGS, name)),
  };
}

function flagLines(specs: Readonly<Record<string, FlagSpec>>, counts: (name: string) => boolean = () => true): Flags {
  const flags = Object.entries(specs).filter(([name]) => isPlain(name) && counts(name));
  return {
    all: flags.map(([name, { summary }]) => line({ name: `--${name}`, summary })),
    valued: flags
      .filter(([, { type }]) => type === 'string')
      .flatMap(([name, flag]) =>
        [`--${name}`, ...(flag.short ? [`-${flag.short}`] : [])].map((written) => `${written} ${kindOf(flag)}`),
      ),
  };
}

/** The flags of every command. They are read before the command is known, so one of its own with such a name would never be. */
const GENERAL = flagLines(GLOBAL_FLAGS);

function last({ key }: TableEntry): string {
  return key.split(' ').at(-1) ?? key;
}

/** `=a|b` for choices, `files`, `folders`, `commands`, a kind that `tenon __complete` knows, or `-` for nothing. */
function kindOf({ choices, complete }: ArgumentSpec | FlagSpec): string {
  if (choices) return `=${choices.filter(isPlain).join('|')}`;
  return complete !== undefined && isPlain(complete) ? complete : '-';
}

function isPlain(word: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.:@%+,/-]*$/.test(word);
}

/** The table as a function that bash and zsh both understand: `path` in, `subs`, `flags`, `kinds`, `valued` out. */
function posixTable(nodes: readonly Node[]): string {
  const more = (name: string, values: readonly string[]) =>
    values.length === 0 ? [] : [`${name}="$${name}"${quote(['', ...values].join('\n'))}`];
  const cases = nodes.map(({ path, subcommands, kinds, own }) => {
    const lines = [
      ...(subcommands.length === 0 ? [] : [`subs=${quote(items(subcommands).join('\n'))}`]),
      ...(kinds.length === 0 ? [] : [`kinds=${quote(kinds.join('\n'))}`]),
      ...more('flags', own.all),
      ...more('valued', own.valued),
    ];
    return `    ${quote(path)})\n${lines.map((line) => `      ${line}`).join('\n')}\n      ;;`;
  });
  const general = quote(items(topics).join('\n'));
  const everywhere = `flags=${quote(GENERAL.all.join('\n'))}\n  valued=${quote(GENERAL.valued.join('\n'))}`;
  return `_tenon_topics=${general}\n_tenon_table() {\n  subs='' kinds=''\n  ${everywhere}\n  case "$1" in\n${cases.join('\n')}\n    *) return 1 ;;\n  esac\n}`;
}

function fishTable(nodes: readonly Node[]): string {
  const list = (values: readonly string[]) => values.map(fishQuote).join(' ');
  const cases = nodes.map(({ path, subcommands, kinds, own }) =>
    [
      `        case ${fishQuote(path)}`,
      `            set -g __tenon_subs ${list(items(subcommands))}`,
      `            set -g __tenon_flags $__tenon_general_flags ${list(own.all)}`,
      `            set -g __tenon_kinds ${list(kinds)}`,
      `            set -g __tenon_valued $__tenon_general_valued ${list(own.valued)}`,
    ]
      .map((line) => line.trimEnd())
      .join('\n'),
  );
  const everywhere = [
    `set -g __tenon_topics ${list(items(topics))}`,
    `set -g __tenon_general_flags ${list(GENERAL.all)}`,
    `set -g __tenon_general_valued ${list(GENERAL.valued)}`,
  ];
  return `${everywhere.join('\n')}\nfunction __tenon_table\n    switch "$argv[1]"\n${cases.join('\n')}\n        case '*'\n            return 1\n    end\nend`;
}

function powershellTable(nodes: readonly Node[]): string {
  const list = (values: readonly string[]) => `@(${values.map(powershellQuote).join(', ')})`;
  const entries = nodes.map(({ path, subcommands, kinds, own }) => {
    const fields = [
      `Subs = ${list(items(subcommands))}`,
      `Flags = $script:TenonGeneralFlags + ${list(own.all)}`,
      `Kinds = ${list(kinds)}`,
      `Valued = $script:TenonGeneralValued + ${list(own.valued)}`,
    ];
    return `$script:TenonTable.Add(${powershellQuote(path)}, @{ ${fields.join('; ')} })`;
  });
  const everywhere = [
    `$script:TenonTopics = ${list(items(topics))}`,
    `$script:TenonGeneralFlags = ${list(GENERAL.all)}`,
    `$script:TenonGeneralValued = ${list(GENERAL.valued)}`,
  ];
  // A plain @{} would not tell capital letters from small ones.
  const table = '$script:TenonTable = [System.Collections.Hashtable]::new([StringComparer]::Ordinal)';
  return [...everywhere, table, ...entries].join('\n');
}

function items(list: readonly Item[]): string[] {
  return list.map(line);
}

function line({ name, summary }: Item): string {
  return `${name}\t${plainLine(summary)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
