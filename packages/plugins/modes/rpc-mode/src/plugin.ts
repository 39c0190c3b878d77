import { liveAgents } from '@tenon/agent/api';
import { kernelView } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { modelRegistry } from '@tenon/models/api';
import { modes } from '@tenon/modes/api';
import { todos } from '@tenon/planning-tools/api';
import { sessionExporter } from '@tenon/session-export/api';
import { tools } from '@tenon/tools/api';
import { slashCommands } from '@tenon/slash-commands/api';
import { undo } from '@tenon/undo/api';
import { urlSchemes } from '@tenon/urls/api';

/** The mode in which another program drives the agent. */
export default definePlugin({
  id: 'rpc-mode',
  activate(ctx) {
    ctx.contribute(modes, 'rpc', {
      async run(call) {
        const { serveRpc } = await import('./serve.ts');
        return serveRpc(call, {
          models: await ctx.find(modelRegistry),
          agents: await ctx.find(liveAgents),
          exporter: await ctx.find(sessionExporter),
          kernel: await ctx.find(kernelView),
          input: process.stdin,
          environment: process.env,
          log: ctx.log,
          todos: await ctx.find(todos),
          undo: () => ctx.find(undo),
          slashCommands: () => ctx.find(slashCommands),
          hasTool: (name) => ctx.read(tools).get(name) !== undefined,
          schemes: {
            contribute: (scheme, value, data) => ctx.contribute(urlSchemes, scheme, value, { data: { ...data } }),
            ownerOf(scheme) {
              const { plugin } = ctx.read(urlSchemes).get(scheme)?.source ?? {};
              return plugin === ctx.id ? undefined : plugin;
            },
          },
        });
      },
    });
  },
});
