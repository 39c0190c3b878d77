/**
 * Processes that end with Tenon, also when Tenon is killed: a small shell waits beside each of them for the end of a pipe that only Tenon
 * holds open. When the pipe closes, it ends the process and tidies up.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** `$1` tidies up, `$2` too when Tenon is gone; the rest is the program. Its input is empty. */
const GUARD = `tidy=$1; last=$2; shift 2
"$@" </dev/null 3<&- &
child=$!
( exec >/dev/null 2>&1
  if ! read -r word <&3; then
    ( n=0; until eval "$last" || [ "$n" -ge 60 ]; do n=$((n + 1)); sleep 0.2; done ) &
  fi
  eval "$tidy"
  kill -s TERM "$child"
  for n in 1 2 3 4 5 6 7 8 9 10; do kill -s 0 "$child" || exit 0; sleep 0.2; done
  kill -s KILL "$child" ) &
watcher=$!
wait "$child"; code=$?
kill -s KILL "$watcher" 2>/dev/null
eval "$tidy" >/dev/null 2>&1
exit "$code"`;

const MAX_ERRORS = 16 * 1024;
const END_MS = 4_000;

/** A process that ends with Tenon. */
export interface GuardedProcess {
  /** What it has written to standard error, the last part. */
  errors(): string;
  readonly hasEnded: boolean;
  /** Resolves with its exit code. */
  readonly ended: Promise<number>;
  /** Ends it, tidies up and waits for that. */
  end(): Promise<void>;
}

/** Starts a program. `tidy` is a command for the shell that is run at its end, `orphaned` one more for
 * when Tenon was killed; that one is tried for some seconds until it succeeds. */
export function startGuarded(
  argv: readonly string[],
  {
    tidy = ':',
    orphaned = ':',
    env,
  }: { readonly tidy?: string; readonly orphaned?: string; readonly env: NodeJS.ProcessEnv },
): GuardedProcess {
  const child: ChildProcess = spawn('/bin/sh', ['-c', GUARD, 'tenon-ssh-guard', tidy, orphaned, ...argv], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // Its own group: Ctrl-C in the terminal is for Tenon, which ends connections when it is time.
    detached: true,
    env,
  });
  let text = '';
  let hasEnded = false;
  const stderr = child.stderr as Socket;
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-MAX_ERRORS);
  });
  const guard = child.stdio[3] as Socket;
  // The shell may be gone already when the pipe is closed.
  guard.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => {
    child.once('error', (fault) => {
      text += fault.message;
      hasEnded = true;
      resolve(127);
    });
    child.once('close', (code) => {
      hasEnded = true;
      guard.destroy();
      resolve(code ?? 1);
    });
  });
  // A connection that waits for its next use must not keep Tenon running.
  for (const handle of [child, stderr, guard]) handle.unref();
  return {
    errors: () => text.trim(),
    get hasEnded() {
      return hasEnded;
    },
    ended,
    async end() {
      if (hasEnded) return;
      guard.end('end\n');
      const timer = setTimeout(() => killGroup(child), END_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Kills a process that leads a group, with all of the group. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (fault) {
    // It ended just now.
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
  }
}

/** A word for the shell of this machine, or for `/bin/sh` of another. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
