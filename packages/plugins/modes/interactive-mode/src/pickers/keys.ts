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
  /** What stands at the top; `keys` if absent. */
  readonly first?: 'keys' | 'commands';
}

/** Shows all keys and slash commands; one that is taken goes into the editor. */
export async function openKeys(seat: Seat, { actions, commands = [], first = 'keys' }: HelpParts): Promise<void> {
  const { agent, ctx } = seat;
  const service = await ctx.findOptional(slashCommands);
  const others = (await service?.list({ session: agent.session.id, cwd: agent.cwd })) ?? [];
  const own = new Set(commands.map(({ name }) => name));
  const all = [...commands, ...others.filter(({ name }) => !own.has(name))].toSorted((left, right) =>
    left.name < right.name ? -1 : 1,
  );
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
    title: first === 'keys' ? 'Keys and slash commands' : 'Slash commands and keys',
    items: first === 'keys' ? [...keyItems, ...commandItems] : [...commandItems, ...keyItems],
    footer: () => 'type to find · enter writes a slash command into the editor · esc close',
  });
  if (chosen?.value !== undefined) seat.setDraft(`/${firstWords(chosen.value)} `);
}
