/** A typed program with a plugin of its own, which keeps the agent away from some files. Node 22.18 runs this file as it is. */
import { type AgentEvent, createTenon, definePlugin, type PluginCandidate, toolCall } from '@tenon/sdk';

const print = (text: string) => process.stdout.write(`${text}\n`);

const guard: PluginCandidate = {
  file: import.meta.url,
  manifest: {
    id: 'guard',
    version: '1.0.0',
    kernel: '^1',
    description: 'Keeps the agent away from files that hold secrets.',
    handles: ['tool.call'],
  },
  load: async () =>
    definePlugin({
      id: 'guard',
      activate(ctx) {
        ctx.on(toolCall, ({ tool, input }) =>
          tool === 'read' && String(input['path']).endsWith('.env') ? { deny: 'it holds secrets' } : undefined,
        );
      },
    }),
};

function report(event: AgentEvent): void {
  if (event.type === 'tool_execution_end') print(`${event.toolName}: ${event.isError ? 'refused' : 'done'}`);
}

const tenon = await createTenon({ plugins: [guard] });
const { session } = await tenon.createAgentSession({ session: 'memory', tools: ['find', 'read'] });
session.subscribe(report);
await session.prompt('List all files.');
await session.prompt('Show shop.env');
await tenon.dispose();
