/** A name for the project around a folder, for what is kept about it elsewhere. */
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The name under which a project's memories and the like are kept: readable, and different for projects of the same name. */
export async function projectName(cwd: string): Promise<string> {
  const project = await projectOf(cwd);
  const readable =
    basename(project)
      .replaceAll(/[^\w-]+/g, '-')
      .slice(0, 40) || 'root';
  return `${readable}-${createHash('sha256').update(project).digest('hex').slice(0, 12)}`;
}

/** The nearest folder that is a repository or has settings of its own; else the folder itself. */
async function projectOf(cwd: string): Promise<string> {
  const start = await realpath(cwd).catch(() => cwd); // A folder that is gone still has its memories.
  for (let folder = start; ; folder = dirname(folder)) {
    for (const mark of ['.git', '.tenon']) {
      if (await stat(join(folder, mark)).catch(() => undefined)) return folder; // out of reach is as good as absent
    }
    if (dirname(folder) === folder) return start;
  }
}
