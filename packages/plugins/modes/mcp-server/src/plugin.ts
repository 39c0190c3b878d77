import { agentFactory } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { kernelView, modeControl } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { sessionStore } from '@tenon/sessions/api';
import { slashCommands } from '@tenon/slash-commands/api';
import { toolPermission, toolRunner, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
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
        // Whoever types this waits for a screen that never comes.
        if (call.io.interactive && call.flags['http'] === undefined)
          await call.io.err(
            'A client of MCP starts this and talks to it over standard input and output; `tenon read docs://guide/mcp.md` says how. Ctrl-C ends it.\n',
          );
        const { serve } = await import('./serve.ts');
        const control = ctx.config.askClient ? await ctx.findOptional(modeControl) : undefined;
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
            schemes: ctx.config.resources,
            commands: () => ctx.findOptional(slashCommands),
            urls: () => ctx.findOptional(urlRouter),
            ...(control && { useInterface: (ui) => control.useInterface(ui) }),
          },
          call,
        );
      },
    });
  },
});
