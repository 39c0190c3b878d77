/** Aliases, functions and variables of the user's own interactive shell, for the shells of sessions. */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Logger, messageOf } from '@tenon/kernel';
import { type Accelerators, createSnapshot } from '@tenon/native';

const TIME_LIMIT_MS = 5_000;
const KEPT_MS = 30 * 24 * 3600 * 1000;
const WRITABLE_BY_OTHERS = 0o022;

/** What is needed to read the start files. */
export interface StartFilesHost {
  readonly cacheFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bash: string | undefined;
  readonly log: Logger;
  shell(): Promise<Accelerators['shell']>;
}

/** Read once per process, and kept over processes as long as the files do not change. */
export class StartFiles {
  readonly #host: StartFilesHost;
  #snapshot: Promise<string | undefined> | undefined;

  constructor(host: StartFilesHost) {
    this.#host = host;
  }

  /** The file to source; undefined when there is nothing, or nothing that can be trusted. */
  snapshot(): Promise<string | undefined> {
    return (this.#snapshot ??= this.#make());
  }

  async #make(): Promise<string | undefined> {
    const { env, bash, log, cacheFolder } = this.#host;
    const home = env['HOME'] ?? homedir();
    if (!(await isOwn(join(home, '.bashrc')))) return undefined;
    const folder = join(cacheFolder, 'shell');
    // Start files build on what is there already: another PATH, for example of a virtual environment, is another state.
    const key = createHash('sha256').update(JSON.stringify([home, bash, env['PATH']]));
    const file = join(folder, `start-files-${key.digest('hex').slice(0, 16)}.sh`);
    try {
      const made = await createSnapshot(await this.#host.shell(), {
        file,
        env,
        timeoutMs: TIME_LIMIT_MS,
        ...(bash !== undefined && { bash }),
      });
      if (made.ok && !made.reused) await removeOld(folder);
      if (made.ok) return made.file;
      log.warn(`the start files of the shell are not used: ${made.reason}`);
    } catch (fault) {
      log.warn(`the start files of the shell are not used: ${messageOf(fault)}`);
    }
    return undefined;
  }
}

/** True for a file that nobody but the user can have written. */
async function isOwn(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile() || (stats.mode & WRITABLE_BY_OTHERS) !== 0) return false;
  return process.getuid === undefined || stats.uid === process.getuid();
}

async function removeOld(folder: string): Promise<void> {
  const oldest = Date.now() - KEPT_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if ((await stat(path)).mtimeMs < oldest) await rm(path, { force: true });
  }
}
