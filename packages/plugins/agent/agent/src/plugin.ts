import { definePlugin, Type } from '@tenon/kernel';
import { modelRegistry, unknownModel } from '@tenon/models/api';
import { toolCatalogue, toolRunner, tools } from '@tenon/tools/api';
import { LoopSession } from './agent-session.ts';
import {
  agentFactory,
  agentHooks,
  type AgentOptions,
  type AgentSession,
  liveAgents,
  streamFilters,
  userBash,
  userPython,
} from './api.ts';
import type { AgentSettings } from './generated/settings.ts';
import { render } from './prompts/index.ts';
import { ToolSet } from './tool-set.ts';

/** Provides the agent loop. */
export default definePlugin({
  id: 'agent',
  config: Type.Unsafe<AgentSettings>({}),
  needs: { models: modelRegistry, runner: toolRunner },
  defines: [agentFactory, liveAgents, streamFilters, ...agentHooks, userBash, userPython],
  activate(ctx) {
    const open = new Set<AgentSession>();
    ctx.defer(async () => void (await Promise.all([...open].map((agent) => agent.dispose()))));
    ctx.provide(liveAgents, {
      get: (id) => [...open].find(({ session }) => session.id === id),
      list: () => [...open],
    });
    ctx.provide(agentFactory, {
      async create(options) {
        const { models } = ctx.needs;
        const stored = options.session.context();
        const wanted = options.model ?? stored.models['default'];
        const choice = wanted === undefined ? undefined : await models.find(wanted);
        // What somebody asks for now must not become something else; what a session used long ago may.
        if (options.model !== undefined && !choice) throw await unknownModel(models, options.model);
        const chosen: Awaited<ReturnType<typeof models.forRole>> = choice ?? (await models.forRole('default'));
        const fallback =
          wanted !== undefined && !choice
            ? `Model "${wanted}" is not available; ${chosen.model.provider}/${chosen.model.id} is used.`
            : undefined;
        // The tools outlive the session that the agent begins with.
        const current: { agent?: AgentSession } = {};
        const toolSet = await ToolSet.create(ctx.read(tools), options.tools, {
          catalogue: await ctx.find(toolCatalogue),
          cwd: options.cwd,
          foundTools: {
            names: stored.selectedMcpTools,
            keep: (names) =>
              (current.agent?.session ?? options.session).append('mcp_tool_selection', { selectedToolNames: names }),
          },
        });
        const agent = new LoopSession({
          host: ctx,
          closed: (ended) => void open.delete(ended),
          session: options.session,
          cwd: options.cwd,
          model: chosen.model,
          thinking: options.thinking ?? chosen.thinking ?? stored.thinkingLevel,
          tools: toolSet,
          systemPrompt: () => systemPrompt(options, toolSet),
        });
        current.agent = agent;
        open.add(agent);
        const message = fallback ?? chosen.fallbackMessage;
        return { agent, ...(message !== undefined && { modelFallbackMessage: message }) };
      },
    });
  },
});

function systemPrompt(options: AgentOptions, toolSet: ToolSet): string {
  const append = options.appendSystemPrompt;
  if (options.systemPrompt !== undefined) return [options.systemPrompt, append].filter(Boolean).join('\n\n');
  const date = new Date().toISOString().slice(0, 10);
  return render('system', { cwd: options.cwd, platform: process.platform, date, tools: toolSet.summaries(), append });
}
