import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';

/** Sessions and runs of a control room on the terminal. */
export default definePlugin({
  id: 'attach',
  needs: { folders },
  activate(ctx) {
    ctx.contribute(cliCommands, 'attach', {
      run: async (call) => (await import('./command.ts')).runAttach(call, ctx),
    });
  },
});
