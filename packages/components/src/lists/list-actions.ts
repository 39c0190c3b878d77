/** What keys can do in lists and pagers, and which keys do it unless the host says otherwise. */
import type { KeyAction } from '../editor/editor-keys.ts';
import { matchesKey } from '../editor/key-match.ts';
import { keyName } from './list-keys.ts';

/** Actions of lists and trees, and their usual keys. */
export const LIST_KEYS = {
  'list.up': { summary: 'Lists: up', keys: ['up', 'ctrl+p'] },
  'list.down': { summary: 'Lists: down', keys: ['down', 'ctrl+n'] },
  'list.pageUp': { summary: 'Lists: a page up', keys: ['pageup'] },
  'list.pageDown': { summary: 'Lists: a page down', keys: ['pagedown'] },
  'list.first': { summary: 'Lists: to the first entry', keys: ['home'] },
  'list.last': { summary: 'Lists: to the last entry', keys: ['end'] },
  'list.choose': { summary: 'Lists: take the entry', keys: ['enter'] },
  'list.close': { summary: 'Lists: close', keys: ['escape', 'ctrl+c'] },
  'list.fold': { summary: 'Trees: fold, or go up', keys: ['left'] },
  'list.unfold': { summary: 'Trees: unfold, or go down', keys: ['right'] },
  'list.deleteBack': { summary: 'Lists: delete a character of the filter', keys: ['backspace', 'ctrl+h'] },
  'list.deleteWord': {
    summary: 'Lists: delete a word of the filter',
    keys: ['ctrl+w', 'alt+backspace', 'ctrl+backspace'],
  },
  'list.clearFilter': { summary: 'Lists: delete the filter', keys: ['ctrl+u'] },
  'list.setBack': { summary: 'Settings: set the value back', keys: ['ctrl+r'] },
} as const satisfies Readonly<Record<string, KeyAction>>;

/** Actions of pagers, and their usual keys. Nothing is typed there but a search, so letters are keys, too. */
export const PAGER_KEYS = {
  'pager.up': { summary: 'Pager: up', keys: ['up', 'k', 'ctrl+p'] },
  'pager.down': { summary: 'Pager: down', keys: ['down', 'j', 'ctrl+n', 'enter'] },
  'pager.pageUp': { summary: 'Pager: a page up', keys: ['pageup', 'b', 'ctrl+b'] },
  'pager.pageDown': { summary: 'Pager: a page down', keys: ['pagedown', 'space', 'ctrl+f'] },
  'pager.halfUp': { summary: 'Pager: half a page up', keys: ['ctrl+u'] },
  'pager.halfDown': { summary: 'Pager: half a page down', keys: ['ctrl+d'] },
  'pager.top': { summary: 'Pager: to the top', keys: ['g', 'home'] },
  'pager.end': { summary: 'Pager: to the end', keys: ['G', 'end'] },
  'pager.search': { summary: 'Pager: search', keys: ['/'] },
  'pager.next': { summary: 'Pager: next place', keys: ['n'] },
  'pager.previous': { summary: 'Pager: place before', keys: ['N'] },
  'pager.close': { summary: 'Pager: close', keys: ['q', 'escape', 'ctrl+c'] },
} as const satisfies Readonly<Record<string, KeyAction>>;

/** The name of an action of lists. */
export type ListAction = keyof typeof LIST_KEYS;
/** The name of an action of pagers. */
export type PagerAction = keyof typeof PAGER_KEYS;

/** Who knows the keys of actions; the usual ones hold where nobody does. */
export interface KeyTable {
  /** Whether the key is one of the action. */
  isKey?(data: string, action: string): boolean;
  /** Keys of an action, as they are shown: `ctrl+o`. */
  keysOf?(action: string): readonly string[];
}

const USUAL: Readonly<Record<string, KeyAction>> = { ...LIST_KEYS, ...PAGER_KEYS };
const LIST_ACTIONS = Object.keys(LIST_KEYS) as ListAction[];
const PAGER_ACTIONS = Object.keys(PAGER_KEYS) as PagerAction[];

const isKey = (table: KeyTable, data: string, action: string): boolean =>
  table.isKey ? table.isKey(data, action) : (USUAL[action]?.keys ?? []).some((key) => matchesKey(data, key));

/** What a key does in a list; nothing for keys that type text, which belong to the filter. */
export function listAction(table: KeyTable, data: string): ListAction | undefined {
  return keyName(data) === undefined ? undefined : LIST_ACTIONS.find((action) => isKey(table, data, action));
}

/** What a key does in a pager. */
export function pagerAction(table: KeyTable, data: string): PagerAction | undefined {
  return PAGER_ACTIONS.find((action) => isKey(table, data, action));
}

const SHORT: Readonly<Record<string, string>> = {
  escape: 'esc',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'pgup',
  pagedown: 'pgdn',
};

/** The first key of an action as it is shown; nothing for an action without a key. */
export function shownKey(table: KeyTable, action: string): string | undefined {
  const key = (table.keysOf ? table.keysOf(action) : USUAL[action]?.keys)?.[0];
  return key === undefined ? undefined : (SHORT[key] ?? key);
}

/** What keys do, for the last row: `enter open · esc close`. Actions without a key are left out. */
export function keyHints(table: KeyTable, hints: readonly (readonly [action: string, words: string])[]): string {
  return hints
    .flatMap(([action, words]) => {
      const key = shownKey(table, action);
      return key === undefined ? [] : [`${key} ${words}`.trim()];
    })
    .join(' · ');
}
