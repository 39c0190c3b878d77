import { agentFactory } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { kernelView } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { sessionStore } from '@tenon/sessions/api';
import { toolPermission, toolRunner, tools } from '@tenon/tools/api';
import { Clients } from './clients.ts';
import type { McpServerSettings } from './generated/settings.ts';

/** Offers Tenon's tools and sessions to other agents. */
export default definePlugin({
  id: 'mcp-server',
  config: Type.Unsafe<McpServerSettings>({}),
  activate(ctx) {
    const clients = new Clients();
    ctx.on(
      toolPermission,
      (question, { signal }) => (ctx.config.askClient ? clients.ask(question, signal) : undefined),
      // A person is asked.
      { deadlineMs: 2_147_483_647 },
    );
    ctx.contribute(cliCommands, 'mcp serve', {
      async run(call) {
        const { serve } = await import('./serve.ts');
        await serve(
          {
            registry: ctx.read(tools),
            runner: await ctx.find(toolRunner),
            version: (await ctx.find(kernelView)).version,
            log: ctx.log,
            clients,
            input: process.stdin,
            output: process.stdout,
            environment: process.env,
            agents: () => ctx.find(agentFactory),
            store: () => ctx.find(sessionStore),
          },
          call,
        );
      },
    });
  },
});
