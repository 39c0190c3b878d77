/** Finds the session of a run that was killed: Kimi says its id only at the end. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { WorkerAdapter } from '../../api.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../../parsing/fields.ts';

const LIMIT_MS = 20_000;

/** Asks `kimi session list --json` for the newest session of the folder. */
export const findSession: NonNullable<WorkerAdapter['findSession']> = async ({ cwd, env, since }) => {
  let output: string;
  try {
    const call = promisify(execFile)('kimi', ['session', 'list', '--json'], {
      cwd,
      env: withoutLostHome(env),
      timeout: LIMIT_MS,
      maxBuffer: 16 * 1024 * 1024,
    });
    call.child.stdin?.end();
    output = (await call).stdout;
  } catch {
    // Without a session the run begins anew, which is no failure.
    return undefined;
  }
  return newestSession(output, cwd, since);
};

/** The id of the newest session of the folder that was used since then. */
export function newestSession(output: string, cwd: string, since: Date): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    // An older Kimi without this command prints help.
    return undefined;
  }
  const sessions = (Array.isArray(value) ? listOf(value) : listOf(fieldsOf(value)['sessions']))
    .map((session) => ({ id: idOf(session), folder: folderOf(session), time: timeOf(session) }))
    .filter(({ id, folder, time }) => id !== undefined && (folder ?? cwd) === cwd && time >= since.getTime());
  return sessions.sort((a, b) => b.time - a.time)[0]?.id;
}

/** The home of a run is removed with it; its sessions are in the user's own. */
function withoutLostHome(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const home = env['KIMI_CODE_HOME'];
  if (home === undefined || existsSync(home)) return env;
  const { KIMI_CODE_HOME: _home, KIMI_SHARE_DIR: _share, ...rest } = env;
  return rest;
}

function idOf(session: Fields): string | undefined {
  return textOf(session['id']) ?? textOf(session['sessionId']) ?? textOf(session['session_id']);
}

function folderOf(session: Fields): string | undefined {
  return textOf(session['workDir']) ?? textOf(session['work_dir']) ?? textOf(session['cwd']);
}

function timeOf(session: Fields): number {
  for (const key of ['updatedAt', 'updated_at', 'lastActiveAt', 'createdAt', 'created_at']) {
    const value = session[key];
    const number = numberOf(value);
    // Seconds or milliseconds since 1970.
    if (number !== undefined) return number < 1e11 ? number * 1000 : number;
    const time = Date.parse(textOf(value) ?? '');
    if (!Number.isNaN(time)) return time;
  }
  return 0;
}
