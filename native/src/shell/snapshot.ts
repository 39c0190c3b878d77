/**
 * A snapshot of the user's interactive shell: aliases, functions, options, and what its start files add to the
 * environment. Start files often take hundreds of milliseconds; the snapshot is made once and sourced in few.
 */
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import type { ShellAccelerator } from './contract.ts';

/** Where a snapshot is kept and what it is made from. */
export interface SnapshotOptions {
  /** The file to write; it is used again as long as it is newer than the start files. */
  readonly file: string;
  readonly bash?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How long start files may take, for example because they wait for input; 10 s by default. */
  readonly timeoutMs?: number;
}

/** What became of a snapshot. */
export type Snapshot =
  | { readonly ok: true; readonly file: string; readonly reused: boolean }
  | { readonly ok: false; readonly reason: string };

const DEFAULT_TIMEOUT_MS = 10_000;
const START_FILES = ['.bashrc', '.bash_aliases', '.bash_profile', '.profile'];

/**
 * Written by an interactive bash about itself. Options that only make sense at a prompt, or that would end or trace a
 * driven shell, are left out; so are aliases that make programs ask, because there is no one to answer.
 */
const DUMP = `umask 077
{
  alias -p | grep -v -E "='?(rm|cp|mv|ln)( -[a-zA-Z]+)* -[a-zA-Z]*i"
  declare -f
  shopt -p | grep -v -E ' (login_shell|restricted_shell|expand_aliases)$'
  set +o | grep -E ' (noclobber|pipefail|physical|noglob|braceexpand)$'
  for name in $(compgen -e); do
    case " $TENON_KNOWN " in *" $name "*) [ "$name" = PATH ] || continue ;; esac
    case $name in TENON_*|SHLVL|PWD|OLDPWD|PS1|_) continue ;; esac
    declare -p "$name"
  done
} >"$TENON_SNAPSHOT" 2>/dev/null`;

/** Makes or reuses a snapshot. A failure is no reason not to work: sessions then start without one. */
export async function createSnapshot(shell: ShellAccelerator, options: SnapshotOptions): Promise<Snapshot> {
  const env = options.env ?? process.env;
  if (isFresh(options.file, env['HOME'] ?? homedir())) return { ok: true, file: options.file, reused: true };
  const written = `${options.file}.${process.pid}.tmp`;
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 });
  const bash = options.bash ?? 'bash';
  const session = shell.openSession({ bash, env, cwd: '/' });
  try {
    const result = await session.run(
      '"$TENON_BASH" -i -c "$TENON_DUMP" </dev/null >/dev/null 2>&1; [ -s "$TENON_SNAPSHOT" ]',
      {
        env: {
          TENON_BASH: bash,
          TENON_DUMP: DUMP,
          TENON_SNAPSHOT: written,
          TENON_KNOWN: Object.keys(env).join(' '),
        },
        timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      },
    );
    if (result.outcome === 'timed-out')
      return { ok: false, reason: 'the start files of the shell did not come to an end' };
    if (result.exitCode !== 0) return { ok: false, reason: `${bash} -i left no snapshot (status ${result.exitCode})` };
    renameSync(written, options.file);
    return { ok: true, file: options.file, reused: false };
  } finally {
    rmSync(written, { force: true });
    await session.close();
  }
}

function isFresh(file: string, home: string): boolean {
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (written === undefined) return false;
  const startFiles = [...START_FILES.map((name) => join(home, name)), '/etc/bash.bashrc'];
  return startFiles.every((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < written);
}
