import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolScope } from './api.ts';
import type { SpillFile } from './output-sink.ts';

const KEPT_MS = 7 * 24 * 3600 * 1000;

/** A file for a long output: the session's own, or one in a folder that is cleared of old ones. */
export async function spillFile(
  { artifact, cwd }: Pick<ToolScope, 'artifact' | 'cwd'>,
  stateFolder: string,
): Promise<SpillFile> {
  if (artifact) return artifact('bash');
  const folder = spillFolder(cwd, stateFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeOld(folder);
  return { path: join(folder, `${randomBytes(8).toString('hex')}.log`) };
}

/** Where outputs of calls without a session go; each working folder has its own, so that its commands can be shown it. */
export function spillFolder(cwd: string, stateFolder: string): string {
  const name = createHash('sha256').update(cwd).digest('hex').slice(0, 16);
  return join(stateFolder, 'tool-output', name);
}

async function removeOld(folder: string): Promise<void> {
  const oldest = Date.now() - KEPT_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may have removed it meanwhile.
    const info = await stat(path).catch(() => undefined);
    if (info && info.mtimeMs < oldest) await rm(path, { force: true });
  }
}
