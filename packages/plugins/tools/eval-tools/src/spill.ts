import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpillFile, ToolScope } from '@tenon/tools/api';

/** A file for a long output: the session's own, or one in the folder that the shell's outputs are kept in, and cleared from. */
export async function spillTo({ artifact }: Pick<ToolScope, 'artifact'>, stateFolder: string): Promise<SpillFile> {
  if (artifact) return artifact('eval');
  const folder = join(stateFolder, 'tool-output');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return { path: join(folder, `${randomBytes(8).toString('hex')}.log`) };
}
