/** Starts the process of a session so that it outlives whoever started it, and tells later what became of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { MARK_SCRIPT } from '@tenon/host';
import type { ProcessMark } from '@tenon/state-files';

/** In the environment of everything that a session starts: `<run>:<session>`. */
export const RUN_VARIABLE = 'TENON_RUN';

/**
 * Given the session's folder and a command line. Whoever makes the folder `claim` runs the session; any other ends at once. Signals for the
 * worker do not end the script, which writes down how the worker ended; traps with a command are not inherited.
 */
const SCRIPT = `# Runs one session of a worker. See docs://design/workers.md.
folder=$1
shift
mkdir "$folder/claim" 2>/dev/null || exit 0
${MARK_SCRIPT}
start_of() {
  IFS= read -r line <"/proc/$1/stat" || return 0
  set -- \${line##*) }
  printf %s "\${20}"
}
trap : HUP INT QUIT TERM
printf '%s %s\\n' "$$" "$(start_of $$ 2>/dev/null)" >"$folder/pid.new" && mv -f "$folder/pid.new" "$folder/pid"
"$@" </dev/null >>"$folder/stdout" 2>>"$folder/stderr"
code=$?
printf '%s\\n' "$code" >"$folder/exit.new" && mv -f "$folder/exit.new" "$folder/exit"
`;

/** What to start. */
export interface LaunchOrder {
  /** The session's folder. */
  readonly folder: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a session. The process is a session of its own without a terminal; it ends when it likes. */
export async function launch({ folder, argv, cwd, env }: LaunchOrder): Promise<ChildProcess> {
  const script = join(folder, 'launcher.sh');
  await writeFile(script, SCRIPT, { mode: 0o600 });
  const child = spawn('/bin/sh', [script, folder, ...argv], { cwd, env, detached: true, stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
  return child;
}

/** What a session's folder says. */
export interface LaunchState {
  /** Somebody has begun to run it. */
  readonly isClaimed: boolean;
  /** When it was claimed. */
  readonly claimedAt?: number;
  /** The process that runs it. */
  readonly mark?: ProcessMark;
  /** How it ended. */
  readonly exitCode?: number;
}

/** Looks at a session. */
export function launchState(folder: string): LaunchState {
  const claim = statSync(join(folder, 'claim'), { throwIfNoEntry: false });
  if (claim === undefined) return { isClaimed: false };
  const [pid, started = ''] = (textOf(join(folder, 'pid')) ?? '').trim().split(' ');
  const exit = textOf(join(folder, 'exit'));
  return {
    isClaimed: true,
    claimedAt: claim.mtimeMs,
    ...(pid !== undefined && /^\d+$/.test(pid) && { mark: { pid: Number(pid), host: hostname(), started } }),
    ...(exit !== undefined && /^\d+\n$/.test(exit) && { exitCode: Number(exit) }),
  };
}

/** Claims a session so that nobody can run it any more. False when somebody already does. */
export function claimSession(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, 'claim'));
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fault;
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fault;
  }
}
