import { cliCommands } from '@tenon/command-line/api';
import { definePlugin } from '@tenon/kernel';
import { toolCall, toolResult, toolRunner, tools } from './api.ts';
import { createToolRunner } from './runner.ts';

/** The slot for tools, the hooks around a call, and the service that makes one. */
export default definePlugin({
  id: 'tools',
  defines: [tools, toolRunner, toolCall, toolResult],
  activate(ctx) {
    const runner = createToolRunner(ctx);
    ctx.provide(toolRunner, runner);
    ctx.contribute(cliCommands, 'tool list', {
      run: async (call) => (await import('./commands.ts')).listTools(ctx.read(tools), call),
    });
    ctx.contribute(cliCommands, 'tool run', {
      run: async (call) => (await import('./commands.ts')).runTool(runner, call),
    });
  },
});
