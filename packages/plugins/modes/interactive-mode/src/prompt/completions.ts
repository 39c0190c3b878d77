/** What the editor offers while somebody types: slash commands, files behind `@`, paths. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { CompletionSource } from '@tenon/components';
import type { CompletionSource as ExtensionCompletions } from '@tenon/host';
import { loadAccelerator } from '@tenon/native';
import type { SlashCommandInfo } from '@tenon/slash-commands/api';
import { plainLine } from '@tenon/wording';

const MOST_ITEMS = 50;

type Completion = Awaited<ReturnType<CompletionSource['complete']>>;

/** Names of slash commands, at the beginning of the text. */
export function slashCompletions(list: () => Promise<readonly SlashCommandInfo[]>): CompletionSource {
  return {
    async complete(line, caret, _signal, { lineNumber }): Promise<Completion> {
      if (lineNumber > 0) return undefined;
      const typed = /^\/([^\s/]*)$/.exec(line.slice(0, caret))?.[1];
      if (typed === undefined) return undefined;
      const wanted = typed.toLowerCase();
      const all = await list();
      const ranked = [
        ...all.filter(({ name }) => name.toLowerCase().startsWith(wanted)),
        ...all.filter(({ name }) => !name.toLowerCase().startsWith(wanted) && name.toLowerCase().includes(wanted)),
      ];
      return {
        from: 0,
        items: ranked.slice(0, MOST_ITEMS).map(({ name, description, argumentHint }) => ({
          value: `/${name} `,
          label: `/${plainLine(name)}${argumentHint === undefined ? '' : ` ${plainLine(argumentHint)}`}`,
          ...(description !== undefined && { detail: plainLine(description) }),
          // Who has written the whole name wants the command, even if something could follow.
          submits: argumentHint === undefined || name.toLowerCase() === wanted,
        })),
      };
    },
  };
}

/** Files and folders behind an `@`, ranked by what is most likely meant. */
export function mentionCompletions(cwd: () => string): CompletionSource {
  return {
    async complete(line, caret, signal): Promise<Completion> {
      const match = /(?:^|[\s([{<"'`])@("?)([^\s"'`]*)$/.exec(line.slice(0, caret));
      if (!match) return undefined;
      const [, , query = ''] = match;
      const scan = await loadAccelerator('scan');
      const { matches } = await scan.fuzzyFind({ path: cwd(), query, limit: MOST_ITEMS, signal });
      return {
        from: caret - query.length - (match[1] ?? '').length - 1,
        items: matches.map(({ path, kind }) => {
          const name = kind === 'directory' ? `${path}/` : path;
          return {
            value: `@${/\s/.test(name) ? `"${name}"` : name}${kind === 'directory' ? '' : ' '}`,
            label: plainLine(name),
          };
        }),
      };
    },
  };
}

/** Names of a folder for a word that is a path, when Tab asks for it. */
export function pathCompletions(cwd: () => string): CompletionSource {
  return {
    async complete(line, caret, _signal, { isAsked }): Promise<Completion> {
      if (!isAsked) return undefined;
      const word = /[^\s"'`]*$/.exec(line.slice(0, caret))?.[0] ?? '';
      if (word === '' || word.startsWith('@')) return undefined;
      const path = word.startsWith('~/') ? join(homedir(), word.slice(2)) : resolve(cwd(), word);
      const [folder, start] = word.endsWith('/') ? [path, ''] : [dirname(path), basename(path)];
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // No such folder: nothing to offer.
      const items = entries
        .filter(({ name }) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
        .slice(0, MOST_ITEMS)
        .map((entry) => {
          const name = entry.isDirectory() ? `${entry.name}/` : entry.name;
          return { value: word.slice(0, word.length - start.length) + name, label: plainLine(name) };
        });
      return items.length === 0 ? undefined : { from: caret - word.length, items };
    },
  };
}

/** What extensions complete. */
export function extensionCompletions(sources: () => readonly ExtensionCompletions[]): CompletionSource {
  return {
    async complete(line, caret, signal): Promise<Completion> {
      for (const source of sources()) {
        const list = await source({ lines: [line], line: 0, column: caret }, signal);
        if (!list || list.items.length === 0) continue;
        return {
          from: Math.max(0, caret - list.prefix.length),
          items: list.items.slice(0, MOST_ITEMS).map(({ value, label, description }) => ({
            value,
            label: plainLine(label),
            ...(description !== undefined && { detail: plainLine(description) }),
          })),
        };
      }
      return undefined;
    },
  };
}
