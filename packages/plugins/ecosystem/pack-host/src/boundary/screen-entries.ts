/** What packs bring to the screen, as it is used there. No function of a pack runs inside of a frame, and none learns more than its pack knows anyway. */
import type { CallLines, EndedCall, KeyAction, LatestStatus } from '@tenon/screen-slots/api';
import { plainLine } from '@tenon/wording';
import { errors } from '../errors.ts';
import type { EntryOwner } from './entries.ts';
import { terminalText } from './terminal-text.ts';

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** More than that nobody reads in a card, and it would only cost. */
const MOST_LINES = 500;
const MOST_CHARACTERS = 100_000;
/** A status line is shared by many. */
const MOST_STATUS = 40;

/** A key tells the pack that it was pressed, and nothing of the session. */
export function keyAction(key: string, value: unknown, owner: EntryOwner): KeyAction {
  const run = method(value, 'run', { slot: 'keybindings', key, owner });
  return { run: async () => void (await run({})) };
}

/** Lines about a call that has ended: text with colours, and only so much of it. */
export function linesOfCalls(key: string, value: unknown, owner: EntryOwner): CallLines {
  const lines = method(value, 'lines', { slot: 'renderers', key, owner });
  return {
    lines: async ({ name, input, result, width }: EndedCall) => {
      // Pictures are for eyes and models: they would only be long.
      const content = result.content.filter(({ type }) => type === 'text');
      const given = await lines({ name, input, result: { ...result, content }, width });
      if (!Array.isArray(given)) throw new TypeError('its card gives no list of lines');
      const shown: string[] = [];
      let left = MOST_CHARACTERS;
      for (const line of given.slice(0, MOST_LINES)) {
        const text = terminalText(String(line).slice(0, left)).replaceAll('\r', '');
        left -= text.length;
        shown.push(text);
        if (left <= 0) break;
      }
      if (shown.length < given.length) shown.push('…');
      return shown;
    },
  };
}

/** A short text that says whose it is. */
export function statusText(key: string, value: unknown, owner: EntryOwner): LatestStatus {
  const latest = method(value, 'latest', { slot: 'status-items', key, owner });
  const { plugin } = owner;
  return {
    latest: async () => {
      const text = await latest();
      if (text === undefined || text === null || text === '') return undefined;
      const plain = plainLine(String(text).slice(0, 1_000));
      const shown = [...plain];
      return `${plugin}: ${shown.length > MOST_STATUS ? `${shown.slice(0, MOST_STATUS - 1).join('')}…` : plain}`;
    },
  };
}

interface EntryPlace {
  readonly slot: string;
  readonly key: string;
  readonly owner: EntryOwner;
}

function method(value: unknown, name: string, { slot, key, owner: { plugin } }: EntryPlace): Call {
  const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  if (typeof found === 'function') return found as Call;
  const reason = `it has no function "${name}", which is what isolated packs bring`;
  throw errors.create('PACK_HOST_ENTRY_REFUSED', { plugin, slot, key, reason });
}
