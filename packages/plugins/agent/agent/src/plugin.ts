import { userBash, userPython } from './user-commands.ts';
import { definePlugin, type PluginContext, Type } from '@tenon/kernel';
import { modelRegistry, unknownModel } from '@tenon/models/api';
import { artifactMaker, type Session, sessionStore } from '@tenon/sessions/api';
import { type ToolBox, toolCatalogue, type ToolRunner, toolRunner, tools } from '@tenon/tools/api';
import { LoopSession } from './agent-session.ts';
import {
  agentEvent,
  agentFactory,
  agentHooks,
  type AgentOptions,
  type AgentSession,
  beforeCompact,
  beforeStart,
  compacted,
  compacting,
  context,
  input,
  liveAgents,
  modelRequest,
  modelUsed,
  sessionShutdown,
  streamFilters,
} from './api.ts';
import type { AgentHost } from './host.ts';
import { render } from './prompts/index.ts';
import { ToolSet } from './tool-set.ts';
import type { AgentSettings } from './generated/settings.ts';

/** Provides the agent loop. */
export default definePlugin({
  id: 'agent',
  config: Type.Unsafe<AgentSettings>({}),
  needs: { models: modelRegistry, runner: toolRunner },
  defines: [agentFactory, liveAgents, streamFilters, ...agentHooks, userBash, userPython],
  activate(ctx) {
    const open = new Set<AgentSession>();
    ctx.defer(async () => void (await Promise.all([...open].map((agent) => agent.dispose()))));
    const closed = (agent: AgentSession) => void open.delete(agent);
    ctx.provide(liveAgents, {
      get: (id) => [...open].find(({ session }) => session.id === id),
      list: () => [...open],
    });
    ctx.provide(agentFactory, {
      async create(options) {
        const { models } = ctx.needs;
        const stored = options.session.context();
        const wanted = options.model ?? stored.models['default'];
        const found = wanted === undefined ? undefined : await models.find(wanted);
        // What somebody asks for now must not become something else; what a session used long ago may.
        if (options.model !== undefined && !found) throw await unknownModel(models, options.model);
        const chosen: Awaited<ReturnType<typeof models.forRole>> = found ?? (await models.forRole('default'));
        const fallback =
          wanted !== undefined && !found
            ? `Model "${wanted}" is not available; ${chosen.model.provider}/${chosen.model.id} is used.`
            : undefined;
        // The tools outlive the session that the agent begins with.
        const current: { agent?: AgentSession } = {};
        const toolSet = await ToolSet.create(ctx.read(tools), options.tools, {
          catalogue: await ctx.find(toolCatalogue),
          cwd: options.cwd,
          found: {
            names: stored.selectedMcpTools,
            keep: (names) =>
              (current.agent?.session ?? options.session).append('mcp_tool_selection', { selectedToolNames: names }),
          },
        });
        const agent = new LoopSession({
          hostFor: (session) => hostOf(ctx, { session, cwd: options.cwd, toolbox: toolSet, closed }),
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

type Context = PluginContext<AgentSettings, { models: AgentHost['models']; runner: AgentHost['runner'] }>;

/** Tools work in the session's folder, with its shell, views and artifacts. */
function scopedRunner(runner: ToolRunner, session: Session, cwd: string, toolbox: ToolBox): ToolRunner {
  const artifactPath = (id: string) => session.artifactPath(id);
  const scope = { session: session.id, cwd, artifact: artifactMaker(session), artifactPath, toolbox };
  return { run: (name, given, options) => runner.run(name, given, { ...options, scope }) };
}

interface HostParts extends Pick<AgentHost, 'closed'> {
  readonly session: Session;
  readonly cwd: string;
  readonly toolbox: ToolBox;
}

function hostOf(ctx: Context, { session, cwd, toolbox, closed }: HostParts): AgentHost {
  const scope = { session: session.id, cwd };
  return {
    closed,
    run: (hook, given, signal) => ctx.run(hook, given, signal),
    sessions: () => ctx.find(sessionStore),
    config: ctx.config,
    log: ctx.log,
    models: ctx.needs.models,
    runner: scopedRunner(ctx.needs.runner, session, cwd, toolbox),
    changeInput: (typed) => ctx.run(input, { ...scope, ...typed }),
    beforeStart: (start) => ctx.run(beforeStart, { ...scope, ...start }),
    changeContext: async (messages) => (await ctx.run(context, { ...scope, messages })).messages,
    changeRequest: async (request) => {
      const { session: _id, ...parts } = await ctx.run(modelRequest, { session: session.id, ...request });
      return parts;
    },
    filterStream: async (stream, call) => {
      const filters = await ctx.read(streamFilters).resolveAll();
      return filters.reduce((inner, { value }) => value.filter(inner, { session: session.id, ...call }), stream);
    },
    beforeCompact: async (plan) => {
      const answer = await ctx.run(beforeCompact, { ...scope, ...plan });
      return answer?.cancel ? { cancelledBy: answer.by ?? 'unknown' } : answer;
    },
    compacting: (plan) => ctx.run(compacting, { ...scope, ...plan }),
    compacted: (entryId, fromPlugin) => void ctx.run(compacted, { session: session.id, entryId, fromPlugin }),
    // A plugin that is being unloaded can tell nobody any more; its agents still come to their end.
    tell: (id, event) => void (ctx.signal.aborted || ctx.run(agentEvent, { session: id, event })),
    shutdown: async () => void (ctx.signal.aborted || (await ctx.run(sessionShutdown, scope))),
    used: (message, purpose) => ctx.run(modelUsed, { session: session.id, cwd, purpose, message }),
  };
}
