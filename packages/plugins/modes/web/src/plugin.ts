import { approvals } from '@tenon/approval/api';
import { accounts } from '@tenon/accounts/api';
import { channelServer } from '@tenon/channels/api';
import { cliCommands } from '@tenon/command-line/api';
import { fleet } from '@tenon/fleet/api';
import { folders, kernelView, ownProgram } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { runs } from '@tenon/runs/api';
import { sessionStore } from '@tenon/sessions/api';
import { workflows } from '@tenon/workflows/api';
import { worktrees } from '@tenon/worktrees/api';

/** The control room: a page and an HTTP API over sessions, runs, workflows, questions, worktrees, accounts and costs. */
export default definePlugin({
  id: 'web',
  needs: { folders },
  activate(ctx) {
    ctx.contribute(cliCommands, 'web', {
      async run(call) {
        const { runWeb } = await import('./command.ts');
        const { cwd, home, state } = ctx.needs.folders;
        const { version, settings } = await ctx.find(kernelView);
        const { ledgerIn } = await import('@tenon/usage/api');
        await runWeb(call, {
          folders: { cwd, home },
          state,
          sessions: await ctx.find(sessionStore),
          runs: () => ctx.find(runs),
          worktrees: () => ctx.findOptional(worktrees),
          workflows: () => ctx.findOptional(workflows),
          fleet: () => ctx.findOptional(fleet),
          approvals: () => ctx.findOptional(approvals),
          accounts: () => ctx.findOptional(accounts),
          channels: () => ctx.findOptional(channelServer),
          program: ownProgram(),
          env: process.env,
          settings,
          ledger: ledgerIn(state),
          version,
          log: ctx.log,
        });
      },
    });
  },
});
