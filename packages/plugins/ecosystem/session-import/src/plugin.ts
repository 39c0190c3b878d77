import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { modelRegistry } from '@tenon/models/api';
import { sessionStore } from '@tenon/sessions/api';

/** Imports conversations of other agents. */
export default definePlugin({
  id: 'session-import',
  needs: { folders, store: sessionStore },
  activate(ctx) {
    ctx.contribute(cliCommands, 'session import', {
      run: async (call) =>
        (await import('./commands.ts')).importSession({ ...ctx.needs, models: () => ctx.find(modelRegistry) }, call),
    });
  },
});
