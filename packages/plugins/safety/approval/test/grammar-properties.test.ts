/** What must hold for every grammar, also for those that are added later: nothing that a table does not list is understood. */
import { describe, expect, it } from 'vitest';
import type { FlagSpec, Grammar, ValueSpec } from '../src/proof/grammar.ts';
import { builtInGrammar } from '../src/proof/grammars.ts';
import { grammarFiles } from '../src/proof/grammar-files.ts';
import { knownWord, NotUnderstood } from '../src/proof/language.ts';
import { sortWords } from '../src/proof/parse-call.ts';
import { prove } from '../src/proof/prove.ts';
import { isTextRole } from '../src/proof/role.ts';
import { WORLD } from './support.ts';

interface Entry {
  readonly file: string;
  readonly root: Grammar;
  /** The words that lead to it. */
  readonly path: readonly string[];
  readonly grammar: Grammar;
}

/** Every grammar with every subcommand. */
const entries: Entry[] = [...new Set(grammarFiles().values())].flatMap((file) => {
  const [name = ''] = [...grammarFiles()].find(([, own]) => own === file) ?? [];
  const root = builtInGrammar(name);
  return root ? below(file, root, [name], root) : [];
});

function below(file: string, root: Grammar, path: readonly string[], grammar: Grammar): Entry[] {
  const inner = [...(grammar.subcommands ?? [])].flatMap(([name, own]) => below(file, root, [...path, name], own));
  return [{ file, root, path, grammar }, ...inner];
}

/** Those whose words the table sorts. */
const sorted = entries.filter(({ root, grammar }) => root.words === undefined && grammar.words === undefined);

/** Why the words are not understood; undefined when they are. */
function refusal({ root, path }: Entry, ...words: readonly string[]): string | undefined {
  try {
    sortWords(root, [...path.slice(1), ...words].map(knownWord), path[0] ?? '');
    return undefined;
  } catch (fault) {
    if (fault instanceof NotUnderstood) return fault.what;
    throw fault;
  }
}

async function isUnderstood(command: string): Promise<boolean> {
  const { unclear } = await prove({ command, cwd: WORLD.workspace, env: {} }, WORLD, {
    userGrammar: async () => undefined,
    dangersIn: async () => [],
  });
  return unclear.length === 0;
}

const matters = (value: ValueSpec | undefined): boolean =>
  value !== undefined &&
  (typeof value !== 'string' ||
    (!isTextRole(value) && value !== 'url' && value !== 'host' && !value.startsWith('code.')));

function spellings({ flags }: Grammar): [string, FlagSpec][] {
  return [...flags];
}

describe('in every grammar', () => {
  it('there are many programs and subcommands', () => {
    expect(entries.length).toBeGreaterThan(300);
  });

  it('a flag that is not listed is not understood', () => {
    const wrong = sorted.filter((entry) => {
      const why = refusal(entry, '--zz-not-there');
      return entry.grammar.style === 'plain' ? why === undefined : why?.includes('--zz-not-there') !== true;
    });
    expect(wrong.map(({ path }) => path.join(' '))).toEqual([]);
  });

  it('a flag that is not listed does not take the word behind it away', () => {
    const wrong = sorted
      .filter(({ grammar }) => grammar.subcommands !== undefined)
      .flatMap((entry) => [...(entry.grammar.subcommands ?? [])].map(([name]) => ({ entry, name })))
      .filter(({ entry, name }) => refusal(entry, '--zz-not-there', name, name)?.includes('--zz-not-there') !== true);
    expect(wrong.map(({ entry, name }) => `${entry.path.join(' ')} ${name}`)).toEqual([]);
  });

  it('an abbreviation of a long flag is not understood', () => {
    const wrong = sorted.flatMap((entry) =>
      spellings(entry.grammar).flatMap(([spelling]) => {
        const short = spelling.slice(0, -1);
        if (!/^--\w[\w-]+/.test(short) || entry.grammar.flags.has(short)) return [];
        if (entry.grammar.style === 'long' && [short, short.slice(1)].some((name) => entry.grammar.flags.has(name)))
          return [];
        return refusal(entry, short, 'x')?.includes(short) === true ? [] : [`${entry.path.join(' ')} ${short}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('a value of a flag without one is not understood', () => {
    const wrong = sorted.flatMap((entry) =>
      spellings(entry.grammar)
        .filter(([spelling, { value }]) => spelling.startsWith('--') && value === undefined)
        .filter(([spelling]) => refusal(entry, `${spelling}=x`) === undefined)
        .map(([spelling]) => `${entry.path.join(' ')} ${spelling}=x`),
    );
    expect(wrong).toEqual([]);
  });

  it('a word before the subcommand that is none is not understood', () => {
    const wrong = sorted
      .filter(({ grammar }) => grammar.subcommands !== undefined && grammar.alone?.operands === undefined)
      .filter(
        (entry) =>
          refusal(entry, 'zz-not-there', [...(entry.grammar.subcommands?.keys() ?? [])][0] ?? '') === undefined,
      );
    expect(wrong.map(({ path }) => path.join(' '))).toEqual([]);
  });

  it('the value of a flag is never taken for a subcommand', () => {
    const wrong = sorted.flatMap((entry) => {
      const [sub] = entry.grammar.subcommands?.keys() ?? [];
      if (sub === undefined) return [];
      return spellings(entry.grammar)
        .filter(([spelling, { value, isOptional }]) => value !== undefined && !isOptional && spelling.startsWith('-'))
        .filter(([spelling]) => {
          // `git -C log` has no subcommand: `log` is the folder.
          const why = refusal(entry, spelling, sub);
          return why === undefined && entry.grammar.alone === undefined;
        })
        .map(([spelling]) => `${entry.path.join(' ')} ${spelling} ${sub}`);
    });
    expect(wrong).toEqual([]);
  });

  it('a word that is only known when it runs is not understood where a flag, a path or code could stand', async () => {
    const wrong: string[] = [];
    for (const { path, grammar } of sorted) {
      const start = path.join(' ');
      const commands = [`${start} $unset_one`, `${start} "$unset_one"`, `${start} "--$unset_one"`];
      for (const [spelling, { value }] of spellings(grammar))
        if (matters(value)) commands.push(`${start} ${spelling} "$unset_one"`, `${start} ${spelling}$unset_one`);
      const [first] = Array.isArray(grammar.operands) ? grammar.operands : [];
      if (first && matters(first.value)) commands.push(`${start} -- "$unset_one"`, `${start} -- $unset_one`);
      for (const command of commands) if (await isUnderstood(command)) wrong.push(command);
    }
    expect(wrong).toEqual([]);
  });

  it('a variable in front that programs look at is not understood', async () => {
    const wrong: string[] = [];
    const names = [
      'HOME',
      'PATH',
      'LD_PRELOAD',
      'GIT_DIR',
      'GIT_TRACE',
      'BASH_ENV',
      'IFS',
      'http_proxy',
      'NODE_OPTIONS',
      'PAGER',
      'TMPDIR',
      'zz_unknown',
    ];
    for (const { path } of entries)
      for (const name of names)
        if (await isUnderstood(`${name}=./x ${path.join(' ')}`)) wrong.push(`${name}=./x ${path.join(' ')}`);
    expect(wrong).toEqual([]);
  });
});
