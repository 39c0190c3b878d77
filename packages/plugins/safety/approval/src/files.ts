/** Files of approvals: for the user alone, replaced as a whole, changed under a lock. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file in one step. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await chmod(temporary, 0o600);
    await rename(temporary, file);
  } catch (fault) {
    await rm(temporary, { force: true });
    throw fault;
  }
}

/** Does something while no other process changes the file. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  // Bundled, a CommonJS package has its exports under `default` only.
  const imported = await import('proper-lockfile');
  const { lock } = imported.default ?? imported;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const retries = { retries: 100, factor: 1.2, minTimeout: 5, maxTimeout: 100, randomize: true };
  const release = await lock(file, { realpath: false, retries });
  try {
    return await work();
  } finally {
    await release();
  }
}
