/** Commands and prompt templates that are files. */
import { type Discovered, type Discovery, commands, type CommandFile, prompts } from '@tenon/discovery/api';
import type { SlashCommandInfo, SlashCommandProvider } from './api.ts';
import { expandCommand, type ExpandHost } from './expand-command.ts';

/** A command file, and whether it is kept as a command or as a prompt. */
export interface FoundCommand extends Discovered<CommandFile> {
  readonly kind: 'command' | 'prompt';
}

/** All commands and prompts for a folder; a command hides a prompt of the same name. */
export async function findCommands(
  discovery: Discovery,
  cwd: string,
  signal?: AbortSignal,
): Promise<readonly FoundCommand[]> {
  const [files, templates] = await Promise.all([
    discovery.load(commands, cwd, signal),
    discovery.load(prompts, cwd, signal),
  ]);
  const all = [
    ...files.items.map((item): FoundCommand => ({ ...item, kind: 'command' })),
    ...templates.items.map((item): FoundCommand => ({ ...item, kind: 'prompt' })),
  ];
  return [...new Map([...all].reverse().map((item) => [item.value.name, item])).values()].reverse();
}

/** What lists show of a file. */
export function infoOf({ value, kind, family, level, bundle }: FoundCommand): SlashCommandInfo {
  const { name, description, argumentHint, path, body } = value;
  const about =
    description ??
    body
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim()
      .slice(0, 100);
  return {
    name,
    kind,
    family,
    level,
    path,
    ...(about !== undefined && { description: about }),
    ...(argumentHint !== undefined && { argumentHint }),
    ...(bundle !== undefined && { bundle }),
  };
}

/** Brings commands from files. */
export function fileCommands(discovery: Discovery, host: ExpandHost): SlashCommandProvider {
  return {
    list: async ({ cwd }, signal) => (await findCommands(discovery, cwd, signal)).map(infoOf),
    async run(name, args, call) {
      const all = await findCommands(discovery, call.cwd, call.signal);
      const match = all.find(({ value }) => value.name === name);
      if (!match) return undefined;
      const { value: command, level, project } = match;
      return expandCommand(host, { command, level, ...(project !== undefined && { project }) }, args, call);
    },
  };
}
