/** Commands that signal, end, stop or cripple their own shell: the session goes on, and says what became of the shell. */
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';

import type { RunResult } from '../src/shell/contract.ts';
import { runAll, shells } from './shell-implementations.ts';

type Fate = RunResult['shell'];

/** The command, what became of the shell, the exit code, and what it printed (any of them where it is not told). */
const CASES: readonly (readonly [command: string, fate: Fate, exitCode?: number, output?: string])[] = [
  ['kill -INT $$', 'restored', 130, ''],
  ['kill -INT $$; echo never', 'restored', 130, ''],
  ['kill -INT $BASHPID', 'restored', 130],
  ['kill -INT 0', 'restored', 130],
  ['kill -INT -$$', 'restored', 130],
  ['while :; do kill -INT $$; done', 'restored', 130],
  ['set -m; kill -INT $$', 'restored', 130],
  ['set -e; kill -INT $$', 'restored', 130],
  ['sleep 100 & kill -INT $$; wait', 'restored', 130],
  ['coproc cat; kill -INT $$', 'restored', 130],
  ['true & disown; kill -INT $$', 'restored', 130],
  ['exec 2>&-; kill -INT $$; echo never', 'restored', 130],
  ["trap '' INT; kill -INT $$; echo alive", 'kept', 0, 'alive\n'],
  ["trap 'echo caught' INT; kill -INT $$; echo alive", 'kept', 0, 'caught\nalive\n'],
  ["bash -c 'kill -INT $$'; echo next $?", 'kept', 0],
  ["bash -c 'kill -INT $PPID'; echo alive", 'kept', 0, 'alive\n'],
  ['kill -TERM $$', 'restored', 143],
  ["trap 'exit 7' TERM; kill $$", 'restored', 7],
  ['kill 0', 'restored', 143],
  ['kill -HUP $$', 'restored', 129],
  ['kill -PIPE $$', 'restored', 141],
  ['kill -USR1 $$', 'restored', 138],
  ['kill -SEGV $$', 'restored', 139],
  ['kill -9 $$', 'fresh', 137],
  ['kill -9 0', 'fresh', 137],
  ["trap 'kill -9 $$' EXIT; exit 2", 'fresh', 137],
  // Nobody but the session would ever continue a shell that is stopped.
  ['kill -STOP $$; echo after', 'kept', 0, 'after\n'],
  ['kill -TSTP $$; echo after', 'kept', 0, 'after\n'],
  ['kill -TSTP 0; echo after', 'kept', 0, 'after\n'],
  ['suspend -f; echo after', 'kept', 0, 'after\n'],
  // The guard above the shell.
  ...[
    'INT',
    'TERM',
    'QUIT',
    'HUP',
    'PIPE',
    'ALRM',
    'USR1',
    'USR2',
    'XCPU',
    'XFSZ',
    'PROF',
    'VTALRM',
    'TSTP',
    'TTIN',
  ].map((name) => [`kill -${name} $PPID; echo alive`, 'kept', 0, 'alive\n'] as const),
  ['exit 3', 'restored', 3],
  ['exec no_such_program', 'restored', 127],
  ['exec false', 'fresh', 1],
  ['exec bash -c "exit 4"', 'fresh', 4],
  // On a small stack: one of the usual size takes bash seconds.
  ['ulimit -s 512; f() { f; }; f', 'fresh', 139],
  ['ulimit -t 1; while :; do :; done', 'fresh', 137],
  ['ulimit -f 1; head -c 100000 /dev/zero >/dev/full; echo end', 'kept', 0],
  ['ulimit -n 4; echo x', 'fresh'],
  ['exec >&-', 'kept', 0],
  ['exec 1>/dev/null', 'kept', 0],
  ['exec 0<&- 1>&- 2>&-', 'kept', 0],
  ['exec 244>&-', 'restored'],
  ['exec 255<&-', 'kept', 0],
  ['exec 245<&-; exec </dev/zero', 'restored'],
  ['exec 246>&-; exec >/dev/null', 'restored'],
  ['exec 247>&-; exec 2>/dev/null', 'restored'],
  ['exec 245<&- 246>&- 247>&-', 'restored'],
  ['for n in /proc/$$/fd/*; do eval "exec ${n##*/}>&-"; done', 'fresh'],
];

describe.each(shells)('a shell session ($kind)', ({ implementation }) => {
  it.each(CASES.map(([command, fate, exitCode, output]) => ({ command, fate, exitCode, output })))(
    'goes on after $command',
    async ({ command, fate, exitCode, output }) => {
      const session = implementation.openSession({ cwd: '/tmp', graceMs: patientLimit(200) });
      try {
        await session.run('cd /usr; v=before; f1() { echo "f1 $v"; }');
        const ended = await runAll(session, command, { timeoutMs: patientLimit(30_000) });
        expect(ended).toMatchObject({
          outcome: 'exited',
          shell: fate,
          ...(exitCode !== undefined && { exitCode }),
          ...(output !== undefined && { output }),
        });
        const state = fate === 'fresh' ? '' : 'before f1 before';
        const next = 'read -r line; echo "$v" $(declare -F f1 >/dev/null && f1); pwd; echo error >&2';
        expect(await runAll(session, next)).toMatchObject({ output: `${state}\n/usr\nerror\n`, exitCode: 0 });
      } finally {
        await session.close();
      }
    },
    patientLimit(60_000),
  );
});
