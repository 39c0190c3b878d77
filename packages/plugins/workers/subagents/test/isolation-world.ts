/** A parent's repository and workspaces of it, with a real git. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import {
  type Changes,
  mergeChanges,
  type MergeOutcome,
  type OpenOptions,
  openWorkspace,
  type Workspace,
} from '../src/isolation/api.ts';

/** A repository, Tenon's folders beside it, and what is done with them. */
export function parentRepository(files: Readonly<Record<string, string | Uint8Array>> = { 'a.txt': 'a\n' }) {
  const base = temporaryFolder('isolation');
  const cwd = join(base, 'shop');
  const git = gitRepository(cwd, files);
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.org');
  return { base, cwd, git, ...workspacesOf(base, cwd) };
}

/** Workspaces of a folder. */
export function workspacesOf(base: string, cwd: string) {
  const folders = { cache: join(base, 'own/cache'), state: join(base, 'own/state') };
  const open = async (id: string, more: Partial<OpenOptions> = {}): Promise<Workspace> => {
    const workspace = await openWorkspace({ cwd, id, mode: 'worktree', folders, ...more });
    later(() => workspace.dispose());
    return workspace;
  };
  const merge = (
    changes: Readonly<Record<string, Changes>>,
    how: 'patch' | 'branch' = 'patch',
  ): Promise<readonly MergeOutcome[]> =>
    mergeChanges({
      cwd,
      merge: how,
      folders,
      changes: Object.entries(changes).map(([id, one]) => ({ id, label: `task ${id}`, changes: one })),
      message: async (label) => `${label}\n`,
    });
  return { folders, open, merge };
}

/** Every file of a folder except git's own: kind, mode, content. */
export function filesOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: Buffer, name: string) => {
    for (const entry of readdirSync(at, { encoding: 'buffer' })) {
      const text = entry.toString('latin1');
      if (text === '.git') continue;
      const path = Buffer.concat([at, Buffer.from('/'), entry]);
      const stats = lstatSync(path);
      const key = name === '' ? text : `${name}/${text}`;
      if (stats.isDirectory()) walk(path, key);
      else if (stats.isSymbolicLink()) found[key] = `link ${readlinkSync(path)}`;
      else found[key] = `${stats.mode & 0o100 ? 'x' : '-'} ${readFileSync(path).toString('latin1')}`;
    }
  };
  walk(Buffer.from(folder), '');
  return found;
}

export { gitIn };
