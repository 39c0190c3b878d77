/** Random scripts, what the proof takes their words for, and what a real bash makes of them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readGrammar } from '../src/proof/load-grammar.ts';
import { prove } from '../src/proof/prove.ts';
import { PLACES } from './support.ts';

/** Pieces of words: everything that shells do something with, and what could be taken for it. */
const PIECES = [
  ...[
    'a',
    'b',
    'md',
    'x1',
    '-',
    '--',
    '=',
    ':',
    '.',
    '/',
    ',',
    '#',
    '%',
    '@',
    '+',
    '^',
    '_',
    '!',
    '}',
    '{',
    '[',
    ']',
    '~',
    '~/',
    '*',
    '?',
  ],
  ...[
    "'q r'",
    '"s t"',
    "''",
    '""',
    '"$v"',
    '$v',
    '${v}',
    '"${v}"',
    '$w',
    '"$w"',
    '${w}',
    '$unset',
    '"$unset"',
    '${e}',
    '$e',
  ],
  ...[
    '${v:-d}',
    '${unset2:-d}',
    '"${e:-d e}"',
    '${v%b}',
    '"${w%%.*}"',
    '${w##*/}',
    '${w#a}',
    '${#v}',
    '${v/a/b}',
    '${!v}',
    '${v@Q}',
  ],
  ...[
    '$(echo o p)',
    '"$(echo o p)"',
    '`echo u`',
    '$(printf "%s" z)',
    '"$(printf \'%s\\n\' l)"',
    '$((1+2))',
    '$((n + 1))',
    '$?',
  ],
  ...['{a,b}', '{1..3}', '{a..c}', '{,x}', '{a,{b,c}}', '{a}', '{}', '{a,b', '"{a,b}"', '{$v,b}', '{"a",b}', '@{1}'],
  ...['*.md', 'sub/*', '[ab]', '[a-c].md', '[!a]*', '"*"', '\\*', '.*', '**', 'su?/', "'*'.md", '*/'],
  ...[
    '\\ ',
    '\\a',
    '\\\\',
    '\\$',
    '\\"',
    "\\'",
    '\\\n',
    "$'a\\nb'",
    "$'\\x41'",
    '$"t"',
    '$',
    '"$"',
    '"a$"',
    '\\',
    '"\\a"',
    '"\\$v"',
    '"\\\n"',
    '"\\\\"',
    '"a\\"b"',
    '"`echo q`"',
  ],
  ...[
    '~root',
    '~+',
    'a=~',
    'a:~',
    '$v[0]',
    '${v}[0]',
    '$v{a,b}',
    '${v}{a,b}',
    '$(echo "a)b")',
    '$(echo #c\n)',
    '"$(cat <<E\nhe re $v\nE\n)"',
    '\u00e9',
    '\t',
  ],
];

const word = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));
const statement = fc.oneof(
  { weight: 6, arbitrary: words.map((list) => `rec ${list}`) },
  { weight: 1, arbitrary: word.map((value) => `v=${value}`) },
  { weight: 1, arbitrary: word.map((value) => `w=${value}; rec "$w" $w`) },
  { weight: 1, arbitrary: words.map((list) => `for w in ${list}; do rec "$w" $w; done`) },
  { weight: 1, arbitrary: words.map((list) => `rec ${list} # comment ' " $(\nrec after`) },
  { weight: 1, arbitrary: words.map((list) => `rec \\\n  ${list} \\\n  end`) },
  { weight: 1, arbitrary: words.map((list) => `if true; then rec ${list}; else rec no; fi`) },
  { weight: 1, arbitrary: words.map((list) => `{ rec ${list}; } 2>/dev/null && (rec ${list})`) },
  { weight: 1, arbitrary: word.map((value) => `case ${value} in a|b*) rec 1;; *) : ;; esac`) },
  { weight: 1, arbitrary: word.map((value) => `[[ ${value} == a* ]] || rec t ${value}`) },
  { weight: 1, arbitrary: word.map((value) => `cat <<EOF >/dev/null\n${value} line\nEOF\nrec after ${value}`) },
  { weight: 1, arbitrary: word.map((value) => `cat <<'EOF' >/dev/null\n${value}\nEOF\nrec after`) },
  { weight: 1, arbitrary: word.map((value) => `cat <<-EOF >/dev/null; rec ${value}\n\tx\n\tEOF\nrec after`) },
  { weight: 1, arbitrary: word.map((value) => `rec a <<< ${value}`) },
  { weight: 1, arbitrary: word.map((value) => `((n++)); n=$((n*2)); rec ${value}; rec b`) },
  { weight: 1, arbitrary: word.map((value) => `cd sub && rec ${value} && cd .. ; rec *.md`) },
);
/** A script that records the words of its commands. */
export const script = fc
  .array(statement, { minLength: 1, maxLength: 3 })
  .map((list) => `v='a b'; w=a.b/c.md; e=; n=1\n${list.join('\n')}\n`);

/** A folder in which scripts run. */
export interface Ground {
  readonly folder: string;
  /** What a real bash gives the recorder; undefined when it does not take the script. */
  inBash(text: string): { readonly words: readonly (readonly string[])[]; readonly isValid: boolean };
  /** What the proof takes the words for; undefined when it does not understand them. */
  proven(text: string): Promise<readonly (readonly (string | undefined)[])[] | undefined>;
  remove(): void;
}

/** Makes one with some files. */
export function makeGround(): Ground {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-bash-')));
  const [folder, home] = [join(base, 'work'), join(base, 'home')];
  for (const path of [join(folder, 'sub', 'deep'), home]) mkdirSync(path, { recursive: true });
  for (const name of ['a.md', 'b.md', 'C.md', 'ab', 'x y', '.hidden', 'sub/one.md', 'sub/two', 'a*', '-n'])
    writeFileSync(join(folder, name), '');
  const { grammar } = readGrammar({ words: 'any' }, 'rec.yml');
  const cat = readGrammar({ operands: 'read' }, 'cat.yml').grammar;
  const world = { workspace: folder, home, temporary: ['/nowhere'], own: [], places: PLACES };
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8' };
  return {
    folder,
    inBash(text) {
      const isValid = spawnSync('bash', ['-n'], { input: text, cwd: folder, env }).status === 0;
      const recorder = `rec() { for one; do printf '%s\\0' "$one"; done; printf '\\1'; }\n`;
      const { stdout } = spawnSync('bash', ['-c', recorder + text], {
        cwd: folder,
        env,
        encoding: 'utf8',
        timeout: 10_000,
      });
      return {
        isValid,
        words: stdout
          .split('\x01')
          .slice(0, -1)
          .map((call) => call.split('\0').slice(0, -1)),
      };
    },
    async proven(text) {
      const { findings, unclear } = await prove({ command: text, cwd: folder, env: {} }, world, {
        userGrammar: async (program) => (program === 'rec' ? grammar : program === 'cat' ? cat : undefined),
        dangersIn: async () => [],
      });
      if (unclear.length > 0) return undefined;
      return findings.flatMap(({ argv }) => (argv?.[0] === 'rec' ? [argv.slice(1)] : []));
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Whether every call that ran was proven, with every known word the same. Ways that were followed but not taken are more. */
export function agrees(
  proven: readonly (readonly (string | undefined)[])[],
  ran: readonly (readonly string[])[],
): boolean {
  return ran.every((call) => proven.some((one) => isSame(one, call)));
}

function isSame(proven: readonly (string | undefined)[], ran: readonly string[]): boolean {
  // An unknown word may be any number of words.
  const open = proven.indexOf(undefined);
  if (open >= 0) return proven.slice(0, open).every((word, index) => word === ran[index]);
  return proven.length === ran.length && proven.every((word, index) => word === ran[index]);
}
