/** Help: what keys do, and which slash commands there are. */
import { slashCommands } from '@tenon/slash-commands/api';
import type { Seat } from '../seat.ts';
import { chooseOne } from './list-picker.ts';
import { firstWords } from './wordings.ts';

/** Something that keys do. */
export interface KeyHelp {
  readonly name: string;
  readonly summary: string;
  readonly keys: readonly string[];
}

/** A slash command beside those of the service: the screen's own. */
export interface CommandHelp {
  readonly name: string;
  readonly description?: string;
  readonly argumentHint?: string;
}

/** What the help lists. */
export interface HelpParts {
  readonly actions: readonly KeyHelp[];
  readonly commands?: readonly CommandHelp[];
}

/** Shows all keys and slash commands; one that is taken goes into the editor. */
export async function openKeys(seat: Seat, { actions, commands = [] }: HelpParts): Promise<void> {
  const { agent, ctx } = seat;
  const service = await ctx.findOptional(slashCommands);
  const others = (await service?.list({ session: agent.session.id, cwd: agent.cwd })) ?? [];
  const own = new Set(commands.map(({ name }) => name));
  const all = [...commands, ...others.filter(({ name }) => !own.has(name))];
  const keyItems = actions.map(({ name, summary, keys }) => ({
    value: undefined,
    label: keys.length === 0 ? '(no key)' : keys.join(', '),
    detail: summary,
    hint: name,
    keywords: name,
    group: 'Keys',
    isMuted: keys.length === 0,
  }));
  const commandItems = all.map(({ name, description = '', argumentHint }) => ({
    value: name,
    label: `/${firstWords(name)}${argumentHint === undefined ? '' : ` ${firstWords(argumentHint)}`}`,
    detail: firstWords(description),
    group: 'Slash commands',
  }));
  const chosen = await chooseOne<string | undefined>(seat, {
    title: 'Keys and slash commands',
    items: [...keyItems, ...commandItems],
    footer: () => 'type to find · enter writes a slash command into the editor · esc close',
  });
  if (chosen?.value !== undefined) seat.setDraft(`/${firstWords(chosen.value)} `);
}
