/** The service: asks those who bring commands, in order. */
import { existsSync } from 'node:fs';
import { disposable, type Logger, messageOf, type Registry } from '@tenon/kernel';
import type { SlashCommandInfo, SlashCommandProvider, SlashCommands, SlashOutcome, SlashScope } from './api.ts';
import { errors } from './errors.ts';

/** A name, and everything behind it. */
const COMMAND = /^\/([A-Za-z0-9][\w:.-]*)(?:\s+([\s\S]*))?$/;

/** Makes the service over the slot. */
export function createSlashCommands(registry: Registry<SlashCommandProvider>, log: Logger): SlashCommands {
  const list = async (given: string | SlashScope, signal?: AbortSignal): Promise<readonly SlashCommandInfo[]> => {
    const scope = typeof given === 'string' ? { cwd: given } : given;
    const lists = await Promise.all(
      (await registry.resolveAll()).map(({ key, value }) =>
        value.list(scope, signal).catch((fault: unknown) => {
          log.warn(`"${key}" could not list its slash commands: ${messageOf(fault)}`);
          return [];
        }),
      ),
    );
    // The first of a name wins, and says what it hides.
    const winners = new Map<string, SlashCommandInfo>();
    for (const info of lists.flat()) {
      const winner = winners.get(info.name);
      const isNews = winner && winner.shadows === undefined && info.kind !== winner.kind;
      if (!winner) winners.set(info.name, info);
      else if (isNews) winners.set(info.name, { ...winner, shadows: info.kind });
    }
    return [...winners.values()];
  };
  const others = new Set<readonly string[]>();
  return {
    list,
    suggestAlso(names) {
      others.add(names);
      return disposable(() => void others.delete(names));
    },
    async expand(text, { signal = new AbortController().signal, ...scope }): Promise<SlashOutcome | undefined> {
      const [, name, args = ''] = COMMAND.exec(text.trimEnd()) ?? [];
      if (name === undefined) return undefined;
      for (const { value } of await registry.resolveAll()) {
        const outcome = await value.run(name, args, { ...scope, signal });
        if (outcome) return outcome;
      }
      // `/tmp is full` is a sentence about a folder.
      if (existsSync(`/${name}`)) return undefined;
      const names = [...(await list(scope, signal)).map((info) => info.name), ...[...others].flat()];
      const { message: reason, next } = errors.create('SLASH_COMMANDS_UNKNOWN', {
        name,
        hint: (await import('./foreign-names.ts')).hintFor(name, names),
      });
      return { kind: 'refused', reason, next };
    },
  };
}
