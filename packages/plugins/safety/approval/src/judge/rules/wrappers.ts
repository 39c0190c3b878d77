/** Programs that run another command, and where in their words that command stands. */
import type { Tier } from '../../api.ts';
import { byName } from './rule.ts';

/** How a wrapper is taken off. */
export interface Wrapper {
  /** What the wrapper itself adds. */
  readonly tier: Tier;
  readonly why?: string;
  /** Flags that are followed by a value. */
  readonly takes?: string;
  /** Own operands before the command. */
  readonly operands?: number;
  /** Takes `NAME=value` before the command. */
  readonly assigns?: true;
  /** Flags whose value is a command line. */
  readonly script?: string;
  /** The rest is one command line for a shell, not words. */
  readonly joined?: true;
  /** Flags with which nothing runs. */
  readonly looks?: string;
  /** Flags whose value is a file that is written. */
  readonly writes?: string;
  /** The command gets more words, which come from the input. */
  readonly moreWords?: true;
  /** What it is without a command. */
  readonly alone?: Tier;
}

const OTHER_RIGHTS = 'runs with the rights of another user';

/** Wrappers by name; `poetry run` and the like are two words. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = byName<Wrapper>({
  'sudo doas': {
    tier: 2,
    why: OTHER_RIGHTS,
    takes: '-u -g -h -p -C -T -r -t -U -D -R --user --group --host --prompt',
    assigns: true,
    alone: 2,
  },
  'pkexec gosu': { tier: 2, why: OTHER_RIGHTS, takes: '--user', alone: 2 },
  'su runuser': { tier: 2, why: OTHER_RIGHTS, takes: '-s -g -G -w', script: '-c --command', operands: 9, alone: 2 },
  'chroot unshare nsenter systemd-run setpriv capsh': {
    tier: 2,
    why: 'runs under other conditions',
    takes: '-u -p -t -S --userspec --groups',
    operands: 0,
    alone: 2,
  },
  env: { tier: 0, takes: '-u --unset -C --chdir', assigns: true, script: '-S --split-string' },
  'nohup setsid unbuffer caffeinate dbus-run-session xvfb-run catchsegv winpty': { tier: 0, takes: '-s -n -a -f' },
  'nice ionice chrt': { tier: 0, takes: '-n -c -p --adjustment --class --classdata' },
  'timeout gtimeout': { tier: 0, takes: '-s -k --signal --kill-after', operands: 1 },
  taskset: { tier: 0, operands: 1 },
  stdbuf: { tier: 0, takes: '-i -o -e --input --output --error' },
  'time gtime': { tier: 0, takes: '-f --format', writes: '-o --output' },
  'command builtin': { tier: 0, looks: '-v -V' },
  exec: { tier: 0, takes: '-a' },
  coproc: { tier: 0 },
  'busybox toybox': { tier: 0, looks: '--list' },
  xargs: {
    tier: 0,
    takes:
      '-I -n -P -L -d -E -s -a --max-args --max-procs --max-lines --delimiter --arg-file --replace --eof --max-chars',
    moreWords: true,
  },
  parallel: {
    tier: 0,
    takes: '-j --jobs -a --arg-file -d --delimiter --colsep -N -n --joblog --results',
    moreWords: true,
    joined: true,
    alone: 2,
  },
  watch: { tier: 0, takes: '-n --interval', joined: true },
  'hyperfine multitime': {
    tier: 0,
    takes: '-w -r -m -M -L --warmup --runs --min-runs --max-runs',
    script: '-p --prepare -s --setup -c --cleanup',
    joined: true,
  },
  entr: { tier: 0 },
  flock: { tier: 0, takes: '-w -E --timeout', script: '-c --command', operands: 1 },
  script: { tier: 1, why: 'writes a transcript', script: '-c --command', takes: '-E -I -O -B -T', operands: 9 },
  'strace ltrace dtruss perf valgrind gdbserver heaptrack': {
    tier: 1,
    why: 'looks into a program',
    takes: '-e -p -s -P -u',
    writes: '-o --output',
    alone: 1,
  },
  'npx bunx pnpx': { tier: 0, takes: '-p --package -w --workspace', script: '-c --call', alone: 1 },
  'poetry-run uv-run pipenv-run pdm-run rye-run hatch-run uvx bundle-exec npm-exec npm-x pnpm-exec yarn-exec bun-x direnv-exec mise-exec mise-x asdf-exec rustup-run dotenv cross-env corepack nvm-exec conda-run opam-exec nix-develop':
    { tier: 0, assigns: true, takes: '-p --package --with --python -e -f -n --project --directory', script: '-c' },
  'git-bisect-run': { tier: 1, why: 'changes the branch' },
  'git-submodule-foreach': { tier: 1, why: 'runs in every submodule', joined: true },
  'ssh-agent': { tier: 1, why: 'keeps keys for a program', alone: 2 },
  'ip-netns-exec': { tier: 2, why: 'runs in another network', operands: 1 },
});

/** Wrappers of two or three words, with the operands of their own after them. */
export const WRAPPER_WORDS: ReadonlyMap<string, number> = new Map([
  ['direnv-exec', 1],
  ['rustup-run', 1],
]);
