import { accounts } from '@tenon/accounts/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders, kernelView, ownProgram } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { runs } from '@tenon/runs/api';
import { sessionStore } from '@tenon/sessions/api';
import { worktrees } from '@tenon/worktrees/api';

/** The control room: a page and an HTTP API over sessions, runs, questions, worktrees and accounts. */
export default definePlugin({
  id: 'web',
  needs: { folders },
  activate(ctx) {
    ctx.contribute(cliCommands, 'web', {
      async run(call) {
        const { runWeb } = await import('./command.ts');
        const { cwd, home, state } = ctx.needs.folders;
        await runWeb(call, {
          folders: { cwd, home },
          state,
          sessions: await ctx.find(sessionStore),
          runs: () => ctx.find(runs),
          worktrees: () => ctx.findOptional(worktrees),
          accounts: () => ctx.findOptional(accounts),
          program: ownProgram(),
          env: process.env,
          version: (await ctx.find(kernelView)).version,
          log: ctx.log,
        });
      },
    });
  },
});
