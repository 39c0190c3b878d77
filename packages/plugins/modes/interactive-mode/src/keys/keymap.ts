/** Which keys do what: the table, what packs add, and the user's own. */
import { EDITOR_KEYS, LIST_KEYS, matchesKey, PAGER_KEYS } from '@tenon/components';
import { type ActionInfo, PICKER_ACTIONS, SCREEN_ACTIONS, TERMINAL_ACTIONS } from './actions.ts';
import { keyProblems } from './key-problems.ts';

/** What the setting `interactive-mode.keys` holds: keys by action; an empty list takes them away. */
export type UserKeys = Readonly<Record<string, string | readonly string[]>>;

const TABLES = [SCREEN_ACTIONS, EDITOR_KEYS, PICKER_ACTIONS, LIST_KEYS, PAGER_KEYS, TERMINAL_ACTIONS];

/** Actions and their keys. */
export class Keymap {
  readonly #actions = new Map<string, ActionInfo>();
  #user: UserKeys = {};

  constructor() {
    for (const actions of TABLES) this.add(actions);
  }

  /** Adds actions; a name that is taken keeps its first meaning. */
  add(actions: Readonly<Record<string, ActionInfo>>): void {
    for (const [name, info] of Object.entries(actions)) if (!this.#actions.has(name)) this.#actions.set(name, info);
  }

  /** Sets the user's keys and gives what is wrong with them. */
  setUserKeys(keys: UserKeys): readonly string[] {
    this.#user = keys;
    return keyProblems(this.#actions, keys, (name) => this.keysOf(name));
  }

  keysOf(action: string): readonly string[] {
    const own = this.#user[action];
    if (own !== undefined) return typeof own === 'string' ? [own] : own;
    return this.#actions.get(action)?.keys ?? [];
  }

  isKey(data: string, action: string): boolean {
    return this.keysOf(action).some((key) => matchesKey(data, key));
  }

  /** The first action among these that the key does. */
  actionOf<A extends string>(data: string, actions: readonly A[]): A | undefined {
    return actions.find((action) => this.isKey(data, action));
  }

  list(): readonly { readonly name: string; readonly summary: string; readonly keys: readonly string[] }[] {
    return [...this.#actions].map(([name, { summary }]) => ({ name, summary, keys: this.keysOf(name) }));
  }
}
