import { join } from 'node:path';
import { modelUsed } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin, messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';
import { Ledger } from './ledger.ts';

/** Writes down what models use, and shows it. */
export default definePlugin({
  id: 'usage',
  needs: { folders },
  activate(ctx) {
    const folder = join(ctx.needs.folders.state, 'usage');
    const ledger = new Ledger(folder);
    let isBroken = false;
    ctx.on(modelUsed, ({ session, cwd, purpose, message }) => {
      const { input, output, cacheRead, cacheWrite, reasoning = 0, totalTokens, cost } = message.usage;
      // A call that never reached a model is no use of it.
      if (totalTokens === 0 && cost.total === 0) return;
      try {
        ledger.add({
          at: new Date().toISOString(),
          session,
          project: cwd,
          model: `${message.provider}/${message.model}`,
          purpose,
          stopReason: message.stopReason,
          ...{ input, output, cacheRead, cacheWrite, reasoning, totalTokens, cost: cost.total },
        });
        isBroken = false;
      } catch (fault) {
        // Once is enough: a full disk would otherwise be reported with every turn.
        if (!isBroken)
          ctx.report(errors.create('USAGE_NOT_WRITTEN', { reason: messageOf(fault), folder }, fault), 'warning');
        isBroken = true;
      }
    });
    ctx.contribute(cliCommands, 'stats', {
      run: async (call) => (await import('./command.ts')).showStats(ledger, call),
    });
  },
});
