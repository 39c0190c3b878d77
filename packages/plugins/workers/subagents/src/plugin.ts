import { agentFactory, beforeSwitch, liveAgents, sessionShutdown } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { type CliCommand, cliCommands } from '@tenon/command-line/api';
import { discovery } from '@tenon/discovery/api';
import { hookEvents } from '@tenon/external-hooks/api';
import { folders, userInterface } from '@tenon/host';
import { jobs } from '@tenon/jobs/api';
import { definePlugin, messageOf, Type } from '@tenon/kernel';
import { authStore, modelRegistry, type Usage } from '@tenon/models/api';
import { planMode } from '@tenon/planning-tools/api';
import { sandboxes } from '@tenon/sandbox/api';
import { sessionStore } from '@tenon/sessions/api';
import { toolCall, toolCatalogue, tools } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { agentOutputs } from '@tenon/urls/api';
import { plainText } from '@tenon/wording';
import { AgentBook, type KnownAgent } from './definitions.ts';
import { Family } from './family.ts';
import type { SubagentsSettings } from './generated/settings.ts';
import { Ids } from './ids.ts';
import { Isolation } from './isolate.ts';
import { Places } from './places.ts';
import { OWNED } from './prepare.ts';
import type { SubagentQuestion } from './process/api.ts';
import type { SubagentRun } from './run-types.ts';
import { createTaskTool } from './task-tool.ts';

/** Before anybody is asked about a call that a subagent may not make. */
const BEFORE_QUESTIONS = { priority: 100 };

/** Agents that work for the agent: definitions, the tool `task`, isolated copies of the repository. */
export default definePlugin({
  id: 'subagents',
  config: Type.Unsafe<SubagentsSettings>({}),
  needs: { folders },
  activate(ctx) {
    const { config } = ctx;
    const { cwd } = ctx.needs.folders;
    const family = new Family(config.maxDepth);
    const places = new Places(config.maxConcurrent);
    const ids = new Ids();
    /** What the description of the tool names; those of the project are known a moment after the tool is. */
    let listed: readonly KnownAgent[] = [];
    const look = async () => {
      const usable = (await book.list(cwd)).filter(({ disabledBy }) => disabledBy === undefined);
      const trust = await Promise.all(usable.map(isTrusted));
      listed = usable.map((agent, index) => (trust[index] ? agent : { ...agent, description: '' }));
    };
    /** What a folder brings that nobody trusts, or an isolated pack, works in a process of its own. */
    const isTrusted = async ({ from, project, isForeign }: KnownAgent) => {
      if (isForeign) return false;
      if (from !== 'project') return true;
      return (await (await ctx.findOptional(workspaceTrust))?.stateOf(project ?? cwd)) === 'trusted';
    };
    const book = new AgentBook({ discovery: () => ctx.findOptional(discovery), disabled: config.disabled, isTrusted });
    const processHost = {
      folders: ctx.needs.folders,
      sandboxes: () => ctx.findOptional(sandboxes),
      keys: async (provider: string) => (await ctx.findOptional(authStore))?.keys(provider) ?? [],
      warn: (text: string) => ctx.log.warn(text),
    };
    /** A question of a subagent in another process reaches the person here. */
    const ask = async (run: SubagentRun, { title, message, options }: SubagentQuestion, signal: AbortSignal) => {
      const ui = await ctx.findOptional(userInterface);
      if (ui?.canAsk() !== true) return undefined;
      const head = plainText(`[subagent ${run.agent} ${run.id}] ${title}`);
      if (options) return ui.select([head, plainText(message ?? '')].filter(Boolean).join('\n'), options, { signal });
      return (await ui.confirm(head, plainText(message ?? ''), { signal })) ? 'yes' : undefined;
    };
    const tool = createTaskTool(
      {
        book,
        family,
        ids,
        cwd,
        maxTasks: config.maxTasks,
        canIsolate: config.isolation.mode !== 'none',
        log: ctx.log,
        signal: ctx.signal,
        modelOverrides: config.modelOverrides,
        models: () => ctx.find(modelRegistry),
        catalogue: () => ctx.find(toolCatalogue),
        agents: () => ctx.findOptional(liveAgents),
        jobs: () => ctx.findOptional(jobs),
        outputs: () => ctx.findOptional(agentOutputs),
        isPlanning: async (session) => (await ctx.findOptional(planMode))?.isOn(session) ?? false,
        isTrusted,
        batchHost: async () => ({
          factory: await ctx.find(agentFactory),
          store: await ctx.find(sessionStore),
          approvals: await ctx.findOptional(approvals),
          hooks: await ctx.findOptional(hookEvents),
          outputs: await ctx.findOptional(agentOutputs),
          family,
          places,
          log: ctx.log,
          timeoutMs: config.timeoutMinutes * 60_000,
          inProcess: async (isPlanning) => {
            const { runInProcess } = await import('./process/api.ts');
            const host = { ...processHost, ...(isPlanning && { profile: 'read-only' as const }) };
            return (run) => runInProcess({ ...host, ask: (question, signal) => ask(run, question, signal) }, run);
          },
        }),
        isolation: ({ scope, agent, signal }) =>
          new Isolation({
            cwd: scope.cwd,
            mode: config.isolation.mode === 'overlay' ? 'overlay' : 'worktree',
            merge: config.isolation.merge,
            folders: ctx.needs.folders,
            trust: () => ctx.findOptional(workspaceTrust),
            log: ctx.log,
            async message(label, diff) {
              const { genericMessage, writtenMessage } = await import('./commit-message.ts');
              if (config.isolation.commits === 'generic' || !agent) return genericMessage(label);
              const models = await ctx.find(modelRegistry);
              const used = (usage: Usage) => agent.addUsage(usage);
              return writtenMessage({ models, beside: agent.state.model, signal, used }, label, diff);
            },
          }),
      },
      () => listed,
    );
    ctx.contribute(tools, 'task', tool);
    look().catch((fault: unknown) =>
      ctx.log.debug(`the subagents of the folder could not be listed: ${messageOf(fault)}`),
    );

    ctx.on(
      toolCall,
      ({ tool: name, scope }) =>
        family.get(scope?.session) && OWNED.has(name)
          ? {
              deny: 'it belongs to the agent that talks with the user. Decide yourself, and say in your result what you assumed',
            }
          : undefined,
      BEFORE_QUESTIONS,
    );
    ctx.on(sessionShutdown, ({ session }) => ids.forget(session));
    // The session of a subagent is part of another one; a summary takes the place of a handover.
    ctx.on(beforeSwitch, ({ session }) => (family.get(session) ? { cancel: true, by: 'subagents' } : undefined));

    const command = (words: string, load: (code: typeof import('./commands.ts')) => CliCommand['run']) =>
      ctx.contribute(cliCommands, words, { run: async (call) => load(await import('./commands.ts'))(call) });
    command(
      'agents list',
      ({ listAgents }) =>
        (call) =>
          listAgents(book, call),
    );
    command(
      'agents show',
      ({ showAgent }) =>
        (call) =>
          showAgent(book, call),
    );
    command(
      'agents gc',
      ({ collectCopies }) =>
        (call) =>
          collectCopies(ctx.needs.folders, call),
    );
  },
});
