import { resolve } from 'node:path';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { sandboxes } from '@tenon/sandbox/api';
import { type Worktrees, worktrees } from './api.ts';
import { wantsWorktree } from './wants-worktree.ts';
import type { WorktreesSettings } from './generated/settings.ts';

/** Worktrees for runs of agents. */
export default definePlugin({
  id: 'worktrees',
  config: Type.Unsafe<WorktreesSettings>({}),
  needs: { folders },
  defines: [worktrees],
  activate(ctx) {
    const { root, mode, checkout, install } = ctx.config;
    let made: Promise<Worktrees> | undefined;
    const load = () =>
      (made ??= import('./worktrees.ts').then(({ createWorktrees }) =>
        createWorktrees(ctx.needs.folders, {
          ...(root !== '' && { root: resolve(ctx.needs.folders.home, root.replace(/^~\//, '')) }),
          mode,
          checkout,
          install,
          sandboxes: () => ctx.find(sandboxes),
        }),
      ));
    ctx.provide(worktrees, {
      wants: (task, wish, options) => wantsWorktree(task, wish, { ...options, mode }),
      create: async (...args) => (await load()).create(...args),
      list: async (...args) => (await load()).list(...args),
      status: async (...args) => (await load()).status(...args),
      remove: async (...args) => (await load()).remove(...args),
      release: async (...args) => (await load()).release(...args),
      install: async (...args) => (await load()).install(...args),
      collect: async (...args) => (await load()).collect(...args),
    });
    ctx.contribute(cliCommands, 'worktree gc', {
      run: async (call) => (await import('./commands.ts')).collectWorktrees(await load(), call),
    });
    ctx.contribute(cliCommands, 'worktree list', {
      run: async (call) => (await import('./commands.ts')).listWorktrees(await load(), call),
    });
    ctx.contribute(cliCommands, 'worktree remove', {
      run: async (call) => (await import('./commands.ts')).removeWorktree(await load(), call),
    });
  },
});
