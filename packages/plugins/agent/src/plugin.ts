import { definePlugin, type PluginContext, Type } from '@tenon/kernel';
import { modelRegistry } from '@tenon/models/api';
import type { Session } from '@tenon/sessions/api';
import { type ToolRunner, toolRunner, tools } from '@tenon/tools/api';
import { LoopSession } from './agent-session.ts';
import {
  agentEvent,
  agentFactory,
  type AgentOptions,
  beforeCompact,
  beforeStart,
  compacted,
  compacting,
  context,
  input,
  modelRequest,
  modelUsed,
  streamFilters,
} from './api.ts';
import type { AgentConfig, AgentHost } from './host.ts';
import { render } from './prompts/index.ts';
import { ToolSet } from './tool-set.ts';

/** Provides the agent loop. */
export default definePlugin({
  id: 'agent',
  config: Type.Unsafe<AgentConfig>({}),
  needs: { models: modelRegistry, runner: toolRunner },
  defines: [
    agentFactory,
    streamFilters,
    input,
    beforeStart,
    context,
    modelRequest,
    agentEvent,
    modelUsed,
    beforeCompact,
    compacting,
    compacted,
  ],
  activate(ctx) {
    const open = new Set<LoopSession>();
    ctx.defer(async () => void (await Promise.all([...open].map((agent) => agent.dispose()))));
    ctx.provide(agentFactory, {
      async create(options) {
        const { models } = ctx.needs;
        const stored = options.session.context();
        const wanted = options.model ?? stored.models['default'];
        const found = wanted === undefined ? undefined : await models.find(wanted);
        const chosen: Awaited<ReturnType<typeof models.forRole>> = found ?? (await models.forRole('default'));
        const fallback =
          wanted !== undefined && !found
            ? `Model "${wanted}" is not available; ${chosen.model.provider}/${chosen.model.id} is used.`
            : undefined;
        const toolSet = await ToolSet.create(ctx.read(tools), options.tools);
        const agent = new LoopSession(hostOf(ctx, options), {
          session: options.session,
          model: chosen.model,
          thinking: options.thinking ?? chosen.thinking ?? stored.thinkingLevel,
          tools: toolSet,
          systemPrompt: () => systemPrompt(options, toolSet),
        });
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

type Context = PluginContext<AgentConfig, { models: AgentHost['models']; runner: AgentHost['runner'] }>;

/** Tools work in the session's folder, with its shell, views and artifacts. */
function scopedRunner(runner: ToolRunner, session: Session, cwd: string): ToolRunner {
  const artifact = async (name: string) => {
    const id = await session.putArtifact(name, '');
    return { id, path: (await session.artifactPath(id)) ?? '' };
  };
  const scope = { session: session.id, cwd, artifact, artifactPath: (id: string) => session.artifactPath(id) };
  return { run: (name, given, options) => runner.run(name, given, { ...options, scope }) };
}

function hostOf(ctx: Context, { session, cwd }: AgentOptions): AgentHost {
  return {
    config: ctx.config,
    log: ctx.log,
    models: ctx.needs.models,
    runner: scopedRunner(ctx.needs.runner, session, cwd),
    changeInput: (typed) => ctx.run(input, typed),
    beforeStart: (start) => ctx.run(beforeStart, start),
    changeContext: async (messages) => (await ctx.run(context, { messages })).messages,
    changeRequest: (request) => ctx.run(modelRequest, request),
    filterStream: async (stream, signal) => {
      const filters = await ctx.read(streamFilters).resolveAll();
      return filters.reduce((inner, { value }) => value.filter(inner, { session: session.id, signal }), stream);
    },
    beforeCompact: async (plan) => {
      const answer = await ctx.run(beforeCompact, plan);
      return answer?.cancel ? { cancelledBy: answer.by ?? 'unknown' } : answer;
    },
    compacting: (plan) => ctx.run(compacting, plan),
    compacted: (entryId, fromPlugin) => void ctx.run(compacted, { session: session.id, entryId, fromPlugin }),
    tell: (id, event) => void ctx.run(agentEvent, { session: id, event }),
    used: (message, purpose) => ctx.run(modelUsed, { session: session.id, cwd, purpose, message }),
  };
}
