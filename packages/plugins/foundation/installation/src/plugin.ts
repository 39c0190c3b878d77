import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';

/** How Tenon got here: updates, rollback, removal. */
export default definePlugin({
  id: 'installation',
  needs: { folders },
  activate(ctx) {
    const place = ctx.needs.folders;
    ctx.contribute(cliCommands, 'update', {
      run: async (call) => (await import('./commands.ts')).runUpdate(place, call),
    });
    ctx.contribute(cliCommands, 'uninstall', {
      run: async (call) => (await import('./commands.ts')).runUninstall(place, call),
    });
  },
});
