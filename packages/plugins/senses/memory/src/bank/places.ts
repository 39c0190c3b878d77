/** Where the banks are: one for the user, one for each project. */
import { join } from 'node:path';
import { projectName } from '@tenon/host';
import type { MemoryScope } from '../api.ts';

/** The file of a bank. It may not exist yet. */
export async function bankFile(data: string, scope: MemoryScope, cwd: string): Promise<string> {
  const root = join(data, 'memory-banks');
  if (scope === 'user') return join(root, 'user.db');
  return join(root, 'projects', `${await projectName(cwd)}.db`);
}
