/** Which keys do what: the table, what packs add, and the user's own. */
import { canonicalKey, EDITOR_KEYS, LIST_KEYS, matchesKey, PAGER_KEYS } from '@tenon/components';
import { type ActionInfo, PICKER_ACTIONS, SCREEN_ACTIONS, TERMINAL_ACTIONS } from './actions.ts';
import { keyProblems } from './key-problems.ts';

/** What the setting `interactive-mode.keys` holds: keys by action; an empty list takes them away. */
export type UserKeys = Readonly<Record<string, string | readonly string[]>>;

const TABLES = [SCREEN_ACTIONS, EDITOR_KEYS, PICKER_ACTIONS, LIST_KEYS, PAGER_KEYS, TERMINAL_ACTIONS];

/** Keys that never type text, nor move or send it. Many terminals send Enter, Tab, Escape and Backspace as Ctrl with a letter, and AltGr as Ctrl with Alt. */
const TYPES_NOTHING = /^(?!ctrl\+(?:alt\+|[hijm?@[]$))(?:(?:ctrl|alt|super)\+|(?:shift\+)?f\d+$)/;

/** Actions and their keys. */
export class Keymap {
  readonly #actions = new Map<string, ActionInfo>();
  /** Names of actions that packs have brought. */
  readonly #foreign = new Set<string>();
  #user: UserKeys = {};

  constructor() {
    for (const actions of TABLES)
      for (const [name, info] of Object.entries(actions)) if (!this.#actions.has(name)) this.#actions.set(name, info);
  }

  /**
   * Adds actions of packs; a name that is taken keeps its first meaning. Of the keys that a pack wishes for it gets those that type nothing and are
   * nobody's at the prompt: it must not learn what is written. The user may give it any key.
   */
  addForeign(actions: Readonly<Record<string, ActionInfo>>): void {
    const taken = new Set(
      [...Object.keys(SCREEN_ACTIONS), ...Object.keys(EDITOR_KEYS)]
        .flatMap((name) => this.keysOf(name))
        .map(canonicalKey),
    );
    const isFree = (key: string) => {
      const canonical = canonicalKey(key);
      return canonical !== undefined && TYPES_NOTHING.test(canonical) && !taken.has(canonical);
    };
    for (const [name, { summary, keys }] of Object.entries(actions)) {
      if (this.#actions.has(name)) continue;
      this.#actions.set(name, { summary, keys: keys.filter(isFree) });
      this.#foreign.add(name);
    }
  }

  /** The action of a pack that the key does. */
  foreignAction(data: string): string | undefined {
    return this.actionOf(data, [...this.#foreign]);
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
