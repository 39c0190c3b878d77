import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { type Worktrees, worktrees } from './api.ts';

/** Worktrees for runs of agents. */
export default definePlugin({
  id: 'worktrees',
  needs: { folders },
  defines: [worktrees],
  activate(ctx) {
    let made: Promise<Worktrees> | undefined;
    const load = () =>
      (made ??= import('./worktrees.ts').then(({ createWorktrees }) => createWorktrees(ctx.needs.folders)));
    ctx.provide(worktrees, {
      create: async (...args) => (await load()).create(...args),
      list: async (...args) => (await load()).list(...args),
      status: async (...args) => (await load()).status(...args),
      remove: async (...args) => (await load()).remove(...args),
      release: async (...args) => (await load()).release(...args),
    });
    ctx.contribute(cliCommands, 'worktree list', {
      run: async (call) => (await import('./commands.ts')).listWorktrees(await load(), call),
    });
    ctx.contribute(cliCommands, 'worktree remove', {
      run: async (call) => (await import('./commands.ts')).removeWorktree(await load(), call),
    });
  },
});
