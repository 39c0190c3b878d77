/**
 * Generated command sequences in every implementation and in a plain `bash`: the same output, status, folder and
 * variables. TENON_TWIN_RUNS=10000 for the long run.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { recordConformance } from '@tenon/test-kit/conformance';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { patientLimit } from '@tenon/test-kit/waiting';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ShellSession } from '../src/shell/contract.ts';
import { runAll, shells } from './shell-implementations.ts';

const RUNS = caseCount(120);
/** One session is shared by many sequences; each begins by resetting what sequences touch. */
const RESET =
  'set +e +u +f; set +o pipefail; shopt -u nullglob extglob; unset A B C arr map i v x z; unset -n x; unset IFS REPLY OPTIND OPTARG o BASH_REMATCH; set --; trap - ERR RETURN; unset -f f g h select_it getopts_it; unalias -a; umask 022; trap - USR1 INT; cd "$ROOT" && OLDPWD=$ROOT && rm -rf -- ./* && mkdir -p d1/d2 && echo one >d1/a.txt && printf "x\\ny\\nz" >b.txt';
/** Printed at the end of each sequence: the state that later commands would see. */
const STATE =
  'pwd; echo "A=${A-unset} B=${B-unset} C=${C-unset} arr=${arr[*]-}"; declare -p map 2>/dev/null; declare -F | grep -v -e __tenon; alias; umask; set +o | grep -e pipefail -e noglob; shopt nullglob; env | grep -e "^[ABC]=" | sort';

const word = fc.stringMatching(/^[a-z0-9_.-]{1,8}$/);
const text = fc.oneof(
  word,
  fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .filter((value) => !value.includes('\0') && !/[\ud800-\udfff]/.test(value)),
  fc.constantFrom("it's", 'two words', '$A', '*', 'a\nb', '"', '\\', '`', '!x', '#', '', '~', '{a,b}', '\t'),
);
const quoted = text.map((value) => `'${value.replaceAll("'", "'\\''")}'`);
const name = fc.constantFrom('A', 'B', 'C');
const functionName = fc.constantFrom('f', 'g', 'h');
const folder = fc.constantFrom('.', 'd1', 'd1/d2', '..', 'nowhere', '"$ROOT"', '-');
const file = fc.constantFrom('b.txt', 'd1/a.txt', 'new.txt', 'missing.txt');

/** Commands without a fixed place in the world: no times, ids or random numbers. */
const simple: fc.Arbitrary<string> = fc.oneof(
  quoted.map((value) => `echo ${value}`),
  quoted.map((value) => `printf '%s|' ${value} >&2`),
  fc.tuple(name, quoted).map(([variable, value]) => `${variable}=${value}`),
  fc.tuple(name, quoted).map(([variable, value]) => `export ${variable}=${value}`),
  name.map((variable) => `unset ${variable}`),
  name.map((variable) => `echo "$${variable}" \${#${variable}} \${${variable}:-none} \${${variable}//a/b}`),
  name.map((variable) => `bash -c 'echo "[$${variable}]"'`),
  fc.tuple(name, quoted).map(([variable, value]) => `${variable}=${value} bash -c 'echo "[$${variable}]"'`),
  folder.map((path) => `cd ${path}`),
  file.map((path) => `cat ${path}`),
  fc.tuple(quoted, file).map(([value, path]) => `echo ${value} >> ${path}`),
  file.map((path) => `wc -l < ${path}`),
  fc.integer({ min: 0, max: 255 }).map((status) => `(exit ${status})`),
  fc.constantFrom(
    'true',
    'false',
    'echo $?',
    'pwd',
    'ls',
    'echo *',
    'no_such_command',
    'read x; echo "$? $x"',
    'cat',
    'umask 027',
  ),
  fc.constantFrom(
    'set -o pipefail',
    'set -f',
    'set +f',
    'shopt -s nullglob',
    'shopt -s extglob; echo @(b|c)*',
    'false | true',
  ),
  fc.constantFrom('break', 'continue', 'return 3', 'local z=1', "echo 'open", 'if', '(', 'echo $((1/0))', 'x=${', ')'),
  fc.array(quoted, { maxLength: 4 }).map((values) => `arr=(${values.join(' ')}); echo "\${#arr[@]}" "\${arr[@]}"`),
  fc.tuple(word, quoted).map(([key, value]) => `declare -A map; map[${key}]=${value}; echo "\${map[${key}]}"`),
  fc.tuple(functionName, quoted).map(([fn, value]) => `${fn}() { echo ${value} "$1"; return 4; }`),
  fc.tuple(functionName, quoted).map(([fn, value]) => `${fn} ${value}`),
  fc
    .tuple(fc.constantFrom('l1', 'l2'), quoted)
    .map(([alias, value]) => `alias ${alias}="echo aliased"; ${alias} ${value}`),
  fc.constantFrom('l1 x', 'l2 y', 'unalias l1'),
  quoted.map((value) => `cat <<'EOF'\n${value}\nEOF`),
  quoted.map((value) => `cat <<< ${value}`),
  fc.constantFrom(
    "{ trap 'echo usr1' USR1; kill -USR1 $BASHPID; }",
    'echo a | { read v; echo "got $v"; }',
    'for i in 1 2 3; do echo $i; [ $i = 2 ] && break; done',
  ),
  fc.constantFrom(
    'case $A in a*) echo starts;; *) echo other;; esac',
    'sleep 0 & wait; echo $?',
    'echo to-err >&2',
    'exec 3>new.txt; echo three >&3; exec 3>&-',
  ),
  // Expansions.
  fc
    .tuple(
      name,
      fc.constantFrom(
        '#*a',
        '##*.',
        '%a*',
        '%%.*',
        '/a/b',
        '//[a-z]/x',
        '^',
        '^^',
        ',,',
        ':1:2',
        ': -2',
        ':+set',
        '@Q',
        '@U',
      ),
    )
    .map(([variable, how]) => `printf '<%s>' "\${${variable}${how}}"; echo`),
  fc.constantFrom(
    'echo {a,b}{1..3} {01..10..3} {c..a}',
    'arr=(a "b c" d); echo "${!arr[@]}" "${arr[@]:1:2}" "${#arr[1]}" "${arr[-1]}"; unset "arr[1]"; declare -p arr',
    'i=5; echo $((i++ + 2 ** 3 % 5)) $i $((i > 3 ? 10#08 : 0x1f)); ((i == 6)); echo $?; let "i += 2" "i *= 3"; echo $i',
    'x="a:b::c"; IFS=: read -r -a arr <<<"$x"; echo "${#arr[@]}" "${arr[2]-none}"; IFS=: ; set -- $x; echo $#; unset IFS',
    'printf "%5d|%-5s|%05.1f|%x|%q|%b\\n" 42 ab 3.14159 255 "a b" "x\\ty"',
    'printf "%s-%s\\n" a b c; printf "%(%Y)T\\n" 0; printf -v v "%03d" 7; echo $v',
    'while read -r v || [ -n "$v" ]; do echo "[$v]"; done < b.txt; mapfile -t arr < b.txt; echo "${arr[@]}"',
    'f() { local A=inner; echo "$FUNCNAME $# $*"; return 7; }; f a "b c"; echo "$? ${A-unset}"',
    'f() { trap "echo returned" RETURN; echo in; }; f; trap - RETURN',
    '( trap "echo bye" EXIT; exit 4 ); echo $?',
    '( set -e; false; echo never ); echo $?; ( set -u; echo $nope; echo never ); echo $?',
    'cat <<-E\n\tindented $((1+1))\n\tE\necho after',
    "cat <<'E' | tr a-z A-Z\nquoted $A\nE",
    '{ echo out; echo err >&2; } 2>&1 | sort; echo x >new.txt 2>&1; cat < new.txt; : >| new.txt; wc -c < new.txt',
    'exec 4<b.txt; read -r v <&4; read -r x <&4; echo "$v$x"; exec 4<&-',
    'shopt -s nullglob; echo none*; shopt -u nullglob; echo none*; echo d1/*.txt d?/',
    'shopt -s extglob; x=foobar; echo "${x/@(foo|bar)/-}" "${x##+([a-o])}"; shopt -u extglob',
    'case abc in a?c) echo one;;& *b*) echo two;& zzz) echo three;; esac',
    'select_it() { [[ $1 =~ ^([a-z]+)([0-9]*)$ ]] && echo "${BASH_REMATCH[@]}"; }; select_it ab12; select_it -; echo $?',
    'false | true | false; echo "${PIPESTATUS[@]}"; set -o pipefail; false | true; echo $?; set +o pipefail',
    'v=$(echo a; exit 3); echo "$v $?"; x=`echo b`; echo $x; echo "$(< b.txt)"',
    'diff <(echo a) <(echo b); echo $?; echo c > >(cat); wait',
    'set -- one two; shift; echo "$1 $#"; set --; echo $#',
    'declare -i i=3; i+=4; echo $i; declare -l v=ABC; echo $v; unset -v v; declare +i i',
    'declare -n x=A; x=through; echo "$A"; unset -n x',
    'getopts_it() { local OPTIND=1 o; while getopts "ab:" o; do echo "$o ${OPTARG-}"; done; }; getopts_it -a -b c d',
    'type -t cd f ls if; command -v cd; builtin echo b; hash -r',
    'until false; do echo once; break; done; for ((i=0;i<3;i++)); do ((i==1)) && continue; echo $i; done',
    'trap "echo err" ERR; (exit 1); trap - ERR; echo next',
    'echo ~ ~+ "~" a~; echo \\a "\\a" $\'\\x41\\n\'; echo "a\\\nb"',
  ),
  fc.integer({ min: 1, max: 3000 }).map((size) => `printf '%*s' ${size} | tr ' ' x`),
  fc.integer({ min: 1, max: 40 }).map((size) => `# ${'long comment '.repeat(size)}\necho after-comment`),
);
const command = fc.oneof(
  { weight: 5, arbitrary: simple },
  {
    weight: 1,
    arbitrary: fc.tuple(simple, fc.constantFrom(' && ', ' || ', '; '), simple).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: simple.map((inner) => `( ${inner}\n)`) },
  // One side of a pipeline is silent: which of two processes prints first is nobody's promise.
  { weight: 1, arbitrary: simple.map((inner) => `{ ${inner}\n} | sort`) },
);
const sequence = fc.array(command, { minLength: 1, maxLength: 6 });

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly statuses: readonly number[];
}

/** Messages name the line of a script; the line is where a session differs from one script by nature. */
function withoutLines(stderr: string): string {
  return stderr
    .replace(/(?:\/[\w./-]*\/)?\b(?:bash|environment): (?:(?:eval|-c): )?(?:line \d+: )?/g, 'bash: ')
    .replace(/at line \d+ /g, '');
}

const scripts = mkdtempSync(join(tmpdir(), 'tenon-twin-script-'));

function plainBash(commands: readonly string[], root: string): Answer {
  const each = commands.map(
    (one, index) => `(exit $__status)\neval "$C${index}"\n__status=$?; printf '%s ' $__status >&9`,
  );
  const script = ['shopt -s expand_aliases', `eval "$RESET"`, '__status=0', ...each, 'eval "$STATE"'].join('\n');
  const env = Object.fromEntries(commands.map((one, index) => [`C${index}`, one]));
  // A file, not -c: after some errors bash goes on with the next line of a file, but gives up a string.
  // Outside the folders that commands look at.
  const path = join(scripts, 'bash');
  writeFileSync(path, `export -n RESET STATE\n${script}\n`);
  const ran = spawnSync('bash', ['--noprofile', '--norc', path], {
    env: { PATH: process.env['PATH'], HOME: '/', LC_ALL: 'C.UTF-8', ROOT: root, RESET, STATE, ...env },
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe'],
  });
  const statuses = String(ran.output[9]).trim().split(' ').filter(Boolean).map(Number);
  return { stdout: ran.stdout.toString(), stderr: withoutLines(ran.stderr.toString()), statuses };
}

async function inSession(session: ShellSession, commands: readonly string[]): Promise<Answer> {
  await session.run(RESET, { timeoutMs: 10_000 });
  let stdout = '';
  let stderr = '';
  const statuses: number[] = [];
  for (const one of [...commands, STATE]) {
    const ran = await runAll(session, one, { timeoutMs: 10_000 });
    if (ran.outcome !== 'exited') throw new Error(`${JSON.stringify(one)} did not end`);
    stdout += ran.stdout;
    stderr += ran.stderr;
    if (ran.shell !== 'kept') throw new Error(`the shell did not survive ${JSON.stringify(one)}`);
    statuses.push(ran.exitCode ?? -1);
  }
  return { stdout, stderr: withoutLines(stderr), statuses: statuses.slice(0, -1) };
}

describe('shell twins', () => {
  const root = mkdtempSync(join(tmpdir(), 'tenon-twins-'));
  const sessions = new Map<string, ShellSession>();

  beforeAll(() => {
    for (const { kind, implementation } of shells) {
      const own = join(root, kind, 'work');
      mkdirSync(own, { recursive: true });
      const env = { PATH: process.env['PATH'], HOME: '/', LC_ALL: 'C.UTF-8', ROOT: own };
      sessions.set(kind, implementation.openSession({ cwd: own, output: 'separate', env }));
    }
    mkdirSync(join(root, 'plain', 'work'), { recursive: true });
  });

  afterAll(async () => {
    await Promise.all([...sessions.values()].map((session) => session.close()));
    rmSync(root, { recursive: true, force: true });
    rmSync(scripts, { recursive: true, force: true });
  });

  it(
    `give what a plain bash gives over ${RUNS} generated sequences (seed ${COMMON_SEED})`,
    async () => {
      let same = 0;
      await fc.assert(
        fc.asyncProperty(sequence, async (commands) => {
          const expected = plainBash(commands, join(root, 'plain', 'work'));
          const asPlain = (answer: Answer, kind: string): Answer => ({
            stdout: answer.stdout.replaceAll(join(root, kind), join(root, 'plain')),
            stderr: answer.stderr.replaceAll(join(root, kind), join(root, 'plain')),
            statuses: answer.statuses,
          });
          for (const [kind, session] of sessions) {
            expect(asPlain(await inSession(session, commands), kind), kind).toEqual(expected);
          }
          same++;
        }),
        // Sequences are short; shrinking them costs more than reading them.
        { numRuns: RUNS, endOnFailure: true },
      );
      const version = spawnSync('bash', ['-c', 'echo ${BASH_VERSION%%(*}'], { encoding: 'utf8' }).stdout.trim();
      recordConformance({
        suite: 'shell sessions',
        oracle: `bash ${version}`,
        cases: RUNS,
        same,
        refused: 0,
        different: RUNS - same,
      });
    },
    patientLimit(Math.max(60_000, RUNS * 1000)),
  );
});
