/** Where the banks are: one for the user, one for each project. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectName } from '@tenon/host';
import type { MemoryScope } from '../api.ts';

const rootOf = (data: string) => join(data, 'memory-banks');
const projectsOf = (data: string) => join(rootOf(data), 'projects');

/** The file of a bank. It may not exist yet. */
export async function bankFile(data: string, scope: MemoryScope, cwd: string): Promise<string> {
  if (scope === 'user') return join(rootOf(data), 'user.db');
  return join(projectsOf(data), `${await projectName(cwd)}.db`);
}

/** Whether the user or the project has a bank. Where no project has one, its name is not needed: it takes a hash and some looks. */
export async function hasBank(data: string, cwd: string): Promise<boolean> {
  if (existsSync(await bankFile(data, 'user', cwd))) return true;
  return existsSync(projectsOf(data)) && existsSync(await bankFile(data, 'project', cwd));
}
