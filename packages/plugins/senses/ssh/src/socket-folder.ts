/** Where the sockets of connections are. */
import { mkdtemp, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { errors } from './errors.ts';

/**
 * The longest path of a socket's folder. A socket's path has at most 103 bytes on macOS, and OpenSSH writes 17 more letters behind it
 * while it makes one.
 */
const MAX_FOLDER = 68;

/** Makes a folder for sockets that only the user can enter. */
export async function makeFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const runtime = env['XDG_RUNTIME_DIR'];
  for (const base of [...(runtime && isAbsolute(runtime) ? [runtime] : []), tmpdir(), '/tmp']) {
    if (!/^[\w/.+-]+$/.test(base) || base.length + '/tenon-ssh-XXXXXX'.length > MAX_FOLDER) continue;
    // A folder that is missing or closed is no place; the next one may be.
    const made = await mkdtemp(join(base, 'tenon-ssh-')).catch(() => undefined);
    if (made !== undefined) return realpath(made);
  }
  throw errors.create('SSH_SOCKET_PATH');
}

/** Whether something has this path. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false, // Not there yet.
  );
}
