import { modelRequest, type RequestParts } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { definePlugin } from '@tenon/kernel';
import { modelRegistry } from '@tenon/models/api';
import { secretMasks } from '@tenon/secrets/api';

/** `tenon commit`: staged changes become commits with conventional messages. */
export default definePlugin({
  id: 'commit',
  activate(ctx) {
    ctx.contribute(cliCommands, 'commit', {
      async run(call) {
        const { commit } = await import('./command.ts');
        const parts = {
          models: () => ctx.find(modelRegistry),
          masks: () => ctx.findOptional(secretMasks),
          change: (request: RequestParts) => ctx.run(modelRequest, request),
        };
        await commit(parts, call);
      },
    });
  },
});
