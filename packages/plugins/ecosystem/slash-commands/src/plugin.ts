import { input, liveAgents } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { discovery } from '@tenon/discovery/api';
import { definePlugin, messageOf, TenonError, Type } from '@tenon/kernel';
import { modelRegistry } from '@tenon/models/api';
import { toolRunner } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { planMode } from '@tenon/planning-tools/api';
import { sessionExporter } from '@tenon/session-export/api';
import { undo } from '@tenon/undo/api';
import { type BuiltInCommand, builtInCommands, slashCommandProviders, slashCommands } from './api.ts';
import { builtInProvider } from './built-in/provider.ts';
import type { ExpandHost } from './expand-command.ts';
import { fileCommands } from './file-commands.ts';
import { createSlashCommands } from './slash-commands.ts';
import { untilRunEnds } from './until-run-ends.ts';
import type { SlashCommandsSettings } from './generated/settings.ts';

/** A command may run programs, and a person may be asked whether it may. */
const NO_DEADLINE_MS = 2_147_483_647;
/** Those who look at what the user typed see it as it was typed. */
const LATE = -100;

/** What users wrote down themselves goes before what plugins bring. */
const FIRST = 10;
/** A built-in command gives way to everything that has its name. */
const LAST = -10;

/** The built-in commands of this plugin; the rest of the table is in package.json. */
const BUILT_IN = [
  'branch',
  'compact',
  'cost',
  'export',
  'handoff',
  'help',
  'init',
  'model',
  'plan',
  'review',
  'status',
  'tree',
  'undo',
] as const;

/** Slash commands: from files, and from whoever brings some. */
export default definePlugin({
  id: 'slash-commands',
  config: Type.Unsafe<SlashCommandsSettings>({}),
  needs: { folders, discovery },
  defines: [slashCommandProviders, builtInCommands, slashCommands],
  activate(ctx) {
    const host: ExpandHost = {
      trust: () => ctx.findOptional(workspaceTrust),
      runner: () => ctx.find(toolRunner),
      preApprove: async (session, allowed) => {
        const gate = await ctx.findOptional(approvals);
        return gate ? gate.preApprove(session, allowed) : () => undefined;
      },
    };
    ctx.contribute(slashCommandProviders, 'files', fileCommands(ctx.needs.discovery, host), { priority: FIRST });
    const builtIn = builtInProvider(ctx.read(builtInCommands), () => ctx.findOptional(liveAgents));
    ctx.contribute(slashCommandProviders, 'built-in', builtIn, { priority: LAST });
    const service = createSlashCommands(ctx.read(slashCommandProviders), ctx.log);
    ctx.provide(slashCommands, service);

    const builtInHost = {
      service,
      discovery: ctx.needs.discovery,
      models: () => ctx.find(modelRegistry),
      exporter: () => ctx.find(sessionExporter),
      plans: () => ctx.find(planMode),
      isPlanning: async (session: string) => (await ctx.findOptional(planMode))?.isOn(session) ?? false,
      undo: () => ctx.findOptional(undo),
    };
    for (const name of BUILT_IN) {
      const command: BuiltInCommand = {
        run: async (args, call) => (await import('./built-in/commands.ts')).builtIns[name](builtInHost, args, call),
      };
      ctx.contribute(builtInCommands, name, command);
    }

    /** Uses another model for the prompt that is being worked on. */
    const useModel = async (session: string, modelName: string): Promise<void> => {
      const agent = (await ctx.findOptional(liveAgents))?.get(session);
      const match = agent && (await (await ctx.find(modelRegistry)).find(modelName));
      if (!agent) return;
      if (!match) {
        const text = `The command asks for the model "${modelName}", which is not available; ${agent.state.model.id} is used.`;
        return agent.emit({ type: 'notice', level: 'warning', text });
      }
      const { model, thinking } = agent.state;
      const { provider } = match.model;
      // A name such as "haiku" fits models of several companies. Which of them gets the conversation is not for a file to say.
      if (provider !== model.provider && !modelName.startsWith(`${provider}/`)) {
        const text = `The command asks for the model "${modelName}", which ${model.provider} does not have; ${model.id} is used. Write "${provider}/${match.model.id}" in the command to send the conversation to ${provider}.`;
        return agent.emit({ type: 'notice', level: 'warning', text });
      }
      await agent.setModel(match.model, match.thinking);
      untilRunEnds(agent, () => {
        agent.setModel(model, match.thinking === undefined ? undefined : thinking).catch((fault: unknown) => {
          ctx.log.warn(`the model of before the command could not be noted: ${messageOf(fault)}`);
        });
      });
    };

    /** Lets the tools of the command through without asking while its prompt is worked on. */
    const preApprove = async (session: string, allowed: readonly string[]): Promise<void> => {
      const agent = (await ctx.findOptional(liveAgents))?.get(session);
      const gate = agent && (await ctx.findOptional(approvals));
      if (agent && gate) untilRunEnds(agent, gate.preApprove(session, allowed));
    };

    ctx.on(
      input,
      async (typed, { signal }) => {
        if (!ctx.config.enabled || !typed.text.startsWith('/')) return undefined;
        if (typed.blocked !== undefined || typed.handled !== undefined) return undefined;
        const { session, cwd = ctx.needs.folders.cwd, midRun = false } = typed;
        const outcome = await service
          .expand(typed.text, { cwd, signal, midRun, ...(session !== undefined && { session }) })
          .catch((fault: unknown) => ({ kind: 'refused' as const, reason: messageOf(fault), next: nextOf(fault) }));
        if (!outcome) return undefined;
        if (outcome.kind === 'refused') return { ...typed, blocked: outcome.reason, remedy: outcome.next ?? '' };
        if (outcome.kind === 'handled') return { ...typed, handled: outcome.text ?? '' };
        if (session !== undefined && outcome.model !== undefined) await useModel(session, outcome.model);
        if (session !== undefined && outcome.allowedTools) await preApprove(session, outcome.allowedTools);
        const { text, images = [], custom } = outcome;
        return { ...typed, text, images: [...typed.images, ...images], ...(custom && { custom }) };
      },
      { priority: LATE, deadlineMs: NO_DEADLINE_MS },
    );

    ctx.contribute(cliCommands, 'commands list', {
      run: async (call) => (await import('./cli-commands.ts')).listCommands(service, call),
    });
    ctx.contribute(cliCommands, 'commands show', {
      run: async (call) => (await import('./cli-commands.ts')).showCommand(service, ctx.needs.discovery, call),
    });
  },
});

function nextOf(fault: unknown): string {
  return fault instanceof TenonError ? fault.next : '';
}
