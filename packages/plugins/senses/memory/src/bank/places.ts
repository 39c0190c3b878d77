/** Where the banks are: one for the user, one for each project. */
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { MemoryScope } from '../api.ts';

/** The file of a bank. It may not exist yet. */
export async function bankFile(data: string, scope: MemoryScope, cwd: string): Promise<string> {
  const root = join(data, 'memory-banks');
  if (scope === 'user') return join(root, 'user.db');
  return join(root, 'projects', `${fileName(await projectOf(cwd))}.db`);
}

/** The nearest folder that is a repository or has settings of its own; else the folder itself. As `memory://` has it. */
async function projectOf(cwd: string): Promise<string> {
  const start = await realpath(cwd).catch(() => cwd); // A folder that is gone still has its memories.
  for (let folder = start; ; folder = dirname(folder)) {
    for (const mark of ['.git', '.tenon']) {
      if (await stat(join(folder, mark)).catch(() => undefined)) return folder; // out of reach is as good as absent
    }
    if (dirname(folder) === folder) return start;
  }
}

/** Readable, and different for projects of the same name. */
function fileName(project: string): string {
  const readable =
    basename(project)
      .replaceAll(/[^\w-]+/g, '-')
      .slice(0, 40) || 'root';
  return `${readable}-${createHash('sha256').update(project).digest('hex').slice(0, 12)}`;
}
