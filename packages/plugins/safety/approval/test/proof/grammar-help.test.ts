/**
 * Compares every grammar with what the installed program says about itself, in its help and its manual page. A flag that neither knows is a
 * mistake, and so is another arity.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { grammarData, grammarFiles } from '../../src/proof/grammar-files.ts';
import type { FlagSpec, Grammar } from '../../src/proof/grammar.ts';
import { readGrammar } from '../../src/proof/load-grammar.ts';

/** Flags of other versions, systems or programs of the same name, and those that programs keep quiet about. They have no effect that the grammar does not name. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ack: '--colour --nocolour --js --ts --python --ruby --go --rust --java --cc --cpp --css --html --json --yaml --md --shell',
  base64: '-D',
  bat: '--no-paging',
  chmod: '-x -w -r -X',
  cp: '-c -X',
  curl: '-h --help',
  date: '-j -v',
  'dpkg-query': '-L --listfiles -S --search',
  diff: '-L --old-group-format --new-group-format --changed-group-format --unchanged-group-format --old-line-format --new-line-format --unchanged-line-format',
  du: '-A -g',
  fd: '--no-global-ignore-file --ignore --ignore-vcs --no-hidden --no-follow',
  file: '-I -S',
  gofmt: '-v -extra -local -lang -modpath',
  grep: '-y',
  javac: '-preview -release',
  journalctl: '--truncate-newline',
  knip: '--isolate-workspaces',
  ln: '-h',
  locate: '-n -q --quiet',
  make: '--shuffle',
  mv: '-h',
  nm: '-d -x --totals --common',
  npx: '--package',
  patch: '--merge',
  perl: '--version',
  // Its help writes a value that may be left out.
  prettier: '-h --help',
  psql: '--pset',
  rg: '--maxdepth --passthrough',
  sed: '-b --binary --zero-terminated',
  shasum: '-a --algorithm',
  strings: '--output-separator',
  top: '-l',
  whatis: '-e --exact',
  wget: '--max-redirect',
  which: '-s',
};
/** Programs that give their flags to another one, have no help about them, or share their name with another program. */
const SILENT: ReadonlySet<string> = new Set([
  'time',
  'cal',
  'ncal',
  'md5',
  'yq',
  'zgrep',
  'zegrep',
  'zfgrep',
  'bzgrep',
  'xzgrep',
]);

const folder = temporaryFolder('help');

function textOf(program: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      // Cargo is found by rustup, which looks into its own folder.
      RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
      MANWIDTH: '200',
      TERM: 'dumb',
      PAGER: 'cat',
      MANPAGER: 'cat',
      LC_ALL: 'C.UTF-8',
    },
    input: '',
    encoding: 'utf8',
    timeout: 20_000,
  });
  // Bold letters of manual pages are written twice.
  return `${stdout}\n${stderr}`
    .replaceAll(/.\x08/g, '')
    .replaceAll('\u2010', '-')
    .replaceAll(/--\[(no-?)\]([\w-]+)/g, '--$2 --$1$2');
}

function isInstalled(name: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((place) => place !== '' && existsSync(join(place, name)));
}

/** Whether a flag takes a value, as lines like `-k, --key=KEYDEF  sort via a key` say. Manuals say it several times, and not always in the same way. */
function aritiesIn(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (flag: string, arity: string) => void found.set(flag, (found.get(flag) ?? new Set()).add(arity));
  for (const line of text.split('\n')) {
    // Node puts one blank behind a long `--flag=...`.
    const [, column = ''] = /^\s{0,12}(-.*?)(?:\s{2,}|(?<==\.\.\.)\s|\t|$)/.exec(line) ?? [];
    // A value in small letters is an example, or what the short flag stands for.
    if (!/^(?:-[A-Za-z0-9], )?--[a-z][\w-]*(?:\[?=[^\sa-z]+\]?| <[^>]+>)?(?:\.\.\.)?$/.test(column)) continue;
    const arity = column.includes('[=') ? 'optional' : /[=<]/.test(column) ? 'value' : 'none';
    const [long = ''] = /--[a-z][\w-]*/.exec(column) ?? [];
    add(long, arity);
    const [short] = /^-[A-Za-z0-9]/.exec(column) ?? [];
    if (short !== undefined && arity !== 'optional') add(short, arity);
  }
  return found;
}

/** Whether a help text lists flags at all: some programs leave most of theirs out, or get them from plugins. */
const COMPLETE = 0.85;

function isListed(spelling: string, text: string): boolean {
  const escaped = spelling.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  // `-name` is also written `--name`, and short flags are listed in a cluster: `tree [-acd]`.
  const spellings = `(?<![\\w-])-?${escaped}(?![\\w-])|(?<![\\w-])-[A-Za-z0-9]*${escaped.replace(/^-/, '')}[A-Za-z0-9]*(?![\\w-])`;
  return new RegExp(spellings).test(text);
}

function mistakesOf(spelling: string, flag: FlagSpec, arities: ReturnType<typeof aritiesIn>): readonly string[] {
  const said = arities.get(spelling);
  const takes = flag.value === undefined ? 'none' : flag.isOptional ? 'optional' : 'value';
  // A value that can only be attached never takes the next word, so it does no harm.
  if (said === undefined || said.size > 1 || said.has(takes) || (takes !== 'value' && !said.has('value'))) return [];
  return [`${spelling} takes ${[...said].join()}, not ${takes}`];
}

/** A grammar without subcommands, whose flags are those of the program. */
function isPlain(grammar: Grammar): boolean {
  return grammar.subcommands === undefined && grammar.words === undefined && grammar.flags.size > 0;
}

/** The grammar and those of all subcommands, each with its own path. */
function allOf(grammar: Grammar): readonly Grammar[] {
  const inner = [...new Set(grammar.subcommands?.values() ?? [])];
  return [grammar, ...inner.flatMap(allOf)].filter(isPlain);
}

type Arities = ReturnType<typeof aritiesIn>;

/** Arities as a pattern finds them: the first group holds spellings, the second one a value. */
function aritiesBy(pattern: RegExp, text: string, arityOf: (value: string | undefined) => string): Arities {
  const found = new Map<string, Set<string>>();
  for (const [, spellings = '', value] of text.matchAll(pattern))
    for (const [spelling] of spellings.matchAll(/--?[A-Za-z0-9][\w-]*/g))
      found.set(spelling, (found.get(spelling) ?? new Set()).add(arityOf(value)));
  return found;
}

const takesValue = (value: string | undefined) => (value === undefined ? 'none' : 'value');

/** Programs whose subcommands say what their flags are, without starting anything: how they are asked, and how their answer is read. */
const WITH_SUBCOMMANDS: Readonly<
  Record<
    string,
    {
      readonly ask: (path: readonly string[]) => readonly string[];
      readonly only?: RegExp;
      readonly read: (text: string) => Arities;
    }
  >
> = {
  git: { ask: (path) => [...path, '-h'], read: aritiesIn },
  cargo: { ask: (path) => [...path, '--help'], read: aritiesIn },
  pip: {
    only: /^(list|show|freeze|install|uninstall|download|inspect)$/,
    ask: (path) => [...path, '--help'],
    read: aritiesIn,
  },
  // `-f, --filter filter   Filter output`
  docker: {
    ask: (path) => [...path, '--help'],
    read: (text) => aritiesBy(/^ {2,6}((?:-\w, )?--[\w-]+)(?: ([\w<>-]+))?(?= {2,}|$)/gm, text, takesValue),
  },
  // `-o, --output='':`, and `=false` for those that need no value
  kubectl: {
    ask: (path) => [...path, '--help'],
    read: (text) =>
      aritiesBy(/^ {4}((?:-\w, )?--[\w-]+)=(.*):$/gm, text, (value) =>
        /^(?:true|false)$/.test(value ?? '') ? 'none' : 'value',
      ),
  },
  // `[--omit <dev|optional|peer> …]`
  npm: {
    only: /^(install|ls|run|test|pack|publish|version|exec|audit|outdated|view|init)$/,
    ask: (path) => [...path, '-h'],
    read: (text) => aritiesBy(/\[(-[\w|-]+)(?: (<[^>]+>|[a-z][\w-]*))?(?=[\] ])/g, text, takesValue),
  },
  // `\t-p n`
  go: {
    ask: (path) => ['help', ...path],
    read: (text) => aritiesBy(/^\t(-[a-z]+)(?: ([\w',=|[\]]+))?$/gm, text, takesValue),
  },
};

describe('every grammar agrees with the help of its program', () => {
  const files = [...new Set(grammarFiles().values())];
  for (const file of files) {
    const { names, grammar } = readGrammar(grammarData(file), file);
    const program = names.find((name) => isInstalled(name) && !SILENT.has(name));
    if (program === undefined || !isPlain(grammar)) continue;
    it(`${file}, by ${program}`, () => {
      const text = `${textOf(program, ['--help'])}\n${textOf('man', [program])}`;
      const arities = aritiesIn(text);
      const elsewhere = new Set((ELSEWHERE[file.replace('.yml', '')] ?? '').split(' '));
      const flags = [...grammar.flags].filter(([spelling]) => !elsewhere.has(spelling));
      const missing = flags
        .filter(([spelling]) => !isListed(spelling, text))
        .map(([spelling]) => `${spelling} is not in the help`);
      const isComplete = missing.length <= flags.length * (1 - COMPLETE);
      const mistakes = [
        ...(isComplete ? missing : []),
        ...flags.flatMap(([spelling, flag]) => mistakesOf(spelling, flag, arities)),
      ];
      expect(mistakes).toEqual([]);
    });
  }

  for (const [name, { ask, only, read }] of Object.entries(WITH_SUBCOMMANDS)) {
    const file = grammarFiles().get(name);
    if (file === undefined || !isInstalled(name)) continue;
    it(`${file}, with all subcommands`, { timeout: patientLimit(300_000) }, () => {
      const mistakes: string[] = [];
      let compared = 0;
      for (const grammar of allOf(readGrammar(grammarData(file), file).grammar)) {
        const [, ...path] = grammar.path;
        if (path.length === 0 || only?.test(path[0] ?? '') === false) continue;
        const arities = read(textOf(name, ask(path)));
        for (const [spelling, flag] of grammar.flags) {
          if (arities.has(spelling)) compared++;
          for (const mistake of mistakesOf(spelling, flag, arities)) mistakes.push(`${path.join(' ')}: ${mistake}`);
        }
      }
      expect(mistakes).toEqual([]);
      expect(compared).toBeGreaterThan(20);
    });
  }
});
