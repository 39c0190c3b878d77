import { cliCommands, type CommandCall } from '@tenon/command-line/api';
import { definePlugin, type Service, Type } from '@tenon/kernel';
import {
  SEARCH_TOOL,
  type Tool,
  toolCall,
  toolCatalogue,
  toolInput,
  toolPermission,
  toolEnd,
  toolLeave,
  toolResult,
  toolRunner,
  tools,
  toolSources,
} from './api.ts';
import { createCatalogue } from './catalogue.ts';
import { errors } from './errors.ts';
import { createToolRunner } from './runner.ts';
import { createSearchTool } from './search-tool.ts';
import type { ToolsSettings } from './generated/settings.ts';

/** The slot for tools, the hooks around a call, the service that makes one, and the search for tools. */
export default definePlugin({
  id: 'tools',
  config: Type.Unsafe<ToolsSettings>({}),
  defines: [
    tools,
    toolSources,
    toolRunner,
    toolCatalogue,
    toolInput,
    toolCall,
    toolPermission,
    toolLeave,
    toolResult,
    toolEnd,
  ],
  activate(ctx) {
    const registry = ctx.read(tools);
    const runner = createToolRunner(ctx);
    let reported = '';
    const catalogue = createCatalogue({
      registry,
      sources: ctx.read(toolSources),
      report: (error) => ctx.report(error, 'warning'),
      config: ctx.config,
      log: ctx.log,
      overBudget(names) {
        const listed = names.join(', ');
        if (listed === reported) return;
        reported = listed;
        ctx.report(errors.create('TOOLS_OVER_BUDGET', { tools: listed, budget: ctx.config.schemaBudget }), 'warning');
      },
    });
    ctx.provide(toolRunner, runner);
    ctx.provide(toolCatalogue, catalogue);
    ctx.contribute(tools, SEARCH_TOOL, createSearchTool(registry, catalogue, ctx.config.discovery));
    const list = {
      run: async (call: CommandCall) => (await import('./commands.ts')).listTools({ registry, catalogue }, call),
    };
    // Found by name: the plugin of the edit tool builds on this one, so that this one cannot import from it.
    const editTool = async (mode: string) => {
      const token = (await ctx.token('service', 'edit-tools')) as Service<{ tool(mode: string): Promise<Tool> }>;
      return (await ctx.find(token)).tool(mode);
    };
    const run = {
      run: async (call: CommandCall) =>
        (await import('./commands.ts')).runTool({ registry, catalogue }, runner, editTool, call),
    };
    ctx.contribute(cliCommands, 'tools list', list);
    ctx.contribute(cliCommands, 'tool list', list);
    ctx.contribute(cliCommands, 'tools show', {
      run: async (call) => (await import('./commands.ts')).showTool({ registry, catalogue }, call),
    });
    ctx.contribute(cliCommands, 'tool run', run);
    ctx.contribute(cliCommands, 'tools run', run);
    ctx.contribute(cliCommands, 'grep', {
      run: async (call) => (await import('./shell-forms/grep.ts')).grep(runner, call),
    });
    ctx.contribute(cliCommands, 'find', {
      run: async (call) => (await import('./shell-forms/find.ts')).find(runner, call),
    });
    ctx.contribute(cliCommands, 'ast', {
      run: async (call) => (await import('./shell-forms/ast.ts')).ast(runner, call),
    });
    ctx.contribute(cliCommands, 'read', {
      run: async (call) => (await import('./shell-forms/read.ts')).read(runner, call),
    });
  },
});
