import { definePlugin, Type } from '@tenon/kernel';
import { modelRegistry, modelSources } from '@tenon/models/api';
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
import { toolRoom } from './compaction/policy.ts';
import { modelFor, withSources } from './first-model.ts';
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
    const agentOf = (id: string) => [...open].find(({ session }) => session.id === id);
    ctx.defer(async () => void (await Promise.all([...open].map((agent) => agent.dispose()))));
    ctx.provide(liveAgents, {
      get: agentOf,
      list: () => [...open],
    });
    const create = async (options: AgentOptions) => {
      const models = withSources(ctx.needs.models, ctx.read(modelSources), options.cwd);
      const stored = options.session.context();
      const { fallback, ...chosen } = await modelFor(models, options.model, stored);
      // The tools outlive the session that the agent begins with.
      const current: { agent?: AgentSession } = {};
      const model = () => current.agent?.state.model ?? chosen.model;
      const toolSet = await ToolSet.create(ctx.read(tools), options.tools, {
        catalogue: await ctx.find(toolCatalogue),
        cwd: options.cwd,
        room: () => toolRoom(model().contextWindow),
        foundTools: {
          names: stored.selectedMcpTools,
          keep: (names) =>
            (current.agent?.session ?? options.session).append('mcp_tool_selection', { selectedToolNames: names }),
        },
      });
      const { parent } = options;
      const agent = new LoopSession({
        ...(parent && { parent, parentAgent: () => agentOf(parent.session) }),
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
      return {
        agent,
        ...(fallback !== undefined && { modelFallbackMessage: fallback }),
        ...(chosen.found && { foundModel: chosen.found }),
      };
    };
    ctx.provide(agentFactory, {
      create: (options) =>
        create(options).catch(async (fault: unknown) => {
          // The session would stay claimed: the agent that closes it does not come into being.
          await options.session.close();
          throw fault;
        }),
    });
  },
});

function systemPrompt(options: AgentOptions, toolSet: ToolSet): string {
  const append = options.appendSystemPrompt;
  if (options.systemPrompt !== undefined) return [options.systemPrompt, append].filter(Boolean).join('\n\n');
  const date = new Date().toISOString().slice(0, 10);
  return render('system', { cwd: options.cwd, platform: process.platform, date, tools: toolSet.summaries(), append });
}
