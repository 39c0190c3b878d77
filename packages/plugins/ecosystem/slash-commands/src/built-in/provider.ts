/** The commands that Tenon brings: one table, made of what the manifests of plugins say. */
import type { AgentSession, LiveAgents } from '@tenon/agent/api';
import type { Entry, Registry } from '@tenon/kernel';
import type { BuiltInCommand, SlashCommandInfo, SlashCommandProvider, SlashOutcome } from '../api.ts';
import { errors } from '../errors.ts';

/** What `kind` says about these commands. */
export const BUILT_IN = 'built-in';

const textIn = (data: Readonly<Record<string, unknown>>, key: string): string | undefined => {
  const value = data[key];
  return typeof value === 'string' ? value : undefined;
};

function infoOf({ key, data }: Entry<BuiltInCommand>): SlashCommandInfo {
  const [description, argumentHint] = [textIn(data, 'summary'), textIn(data, 'arguments')];
  return {
    name: key,
    kind: BUILT_IN,
    ...(description !== undefined && { description }),
    ...(argumentHint !== undefined && { argumentHint }),
  };
}

/** Lists and runs what is in the slot. Nothing is loaded for the list. */
export function builtInProvider(
  registry: Registry<BuiltInCommand>,
  agents: () => Promise<LiveAgents | undefined>,
): SlashCommandProvider {
  return {
    list: async () =>
      registry
        .list()
        .map(infoOf)
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    async run(name, args, call): Promise<SlashOutcome | undefined> {
      const entry = registry.get(name);
      if (!entry) return undefined;
      const agent = call.session === undefined ? undefined : (await agents())?.get(call.session);
      // What stands in the table decides, so that no command has to remember to ask.
      if (entry.data['needs'] !== undefined && !agent) throw errors.create('SLASH_COMMANDS_NO_SESSION', { name });
      if (entry.data['needs'] === 'idle session' && call.midRun === true)
        throw errors.create('SLASH_COMMANDS_BUSY', { name });
      const command = await registry.resolve(name);
      return command.run(args.trim(), { ...call, ...(agent && { agent }) });
    },
  };
}

/** The agent of a command whose table entry says that it needs one. */
export function agentOf(call: { readonly agent?: AgentSession }, name: string): AgentSession {
  if (!call.agent) throw errors.create('SLASH_COMMANDS_NO_SESSION', { name });
  return call.agent;
}
