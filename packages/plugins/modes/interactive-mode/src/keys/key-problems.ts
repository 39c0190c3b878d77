/** What is wrong with the keys that a user has set: names of no action, names of no key, keys that two actions want. */
import { canonicalKey } from '@tenon/components';
import type { ActionInfo } from './actions.ts';

type Actions = ReadonlyMap<string, ActionInfo>;

/** Actions that have their keys in lists, too; the first also where something has the whole screen. */
const EVERYWHERE = 'app.suspend';
const IN_LISTS: readonly string[] = [EVERYWHERE, 'app.interrupt', 'app.clear'];

/** The problems as lines for the user. */
export function keyProblems(
  actions: Actions,
  user: Readonly<Record<string, unknown>>,
  keysOf: (action: string) => readonly string[],
): readonly string[] {
  const own = Object.keys(user);
  const unknown = own
    .filter((name) => !actions.has(name))
    .map((name) => `interactive-mode.keys names "${name}", which is not an action; /keys lists them.`);
  const noKeys = own.flatMap((name) =>
    keysOf(name)
      .filter((key) => canonicalKey(key) === undefined)
      .map((key) => `interactive-mode.keys has "${key}" for ${name}, which is not a key; "ctrl+shift+a" and "f5" are.`),
  );
  const pairs = own.filter((name) => actions.has(name)).flatMap((name) => conflictsOf(name, actions, keysOf));
  return [...unknown, ...noKeys, ...new Set(pairs)];
}

/** Other actions that want a key of this one, where both are listened to. What overlaps by design is no problem. */
function conflictsOf(name: string, actions: Actions, keysOf: (action: string) => readonly string[]): string[] {
  const canonical = (keys: readonly string[]) => new Set(keys.map(canonicalKey).filter((key) => key !== undefined));
  const usual = canonical(actions.get(name)?.keys ?? []);
  return [...actions].flatMap(([other, { keys }]) => {
    if (other === name || !meet(name, other)) return [];
    const theirs = canonical(keysOf(other));
    const theirUsual = canonical(keys);
    return [...canonical(keysOf(name))]
      .filter((key) => theirs.has(key) && !(usual.has(key) && theirUsual.has(key)))
      .map((key) => {
        const [first, second] = inOrder(name, other, actions);
        return `interactive-mode.keys: ${key} is for ${first} and for ${second}; ${first} gets it.`;
      });
  });
}

/** Whether both are listened to at the same time. */
function meet(a: string, b: string): boolean {
  const [first, second] = [a, b].map(scopesOf);
  return first?.some((scope) => second?.includes(scope)) === true;
}

/** Lists that have keys of their own. */
const LISTS = ['sessions', 'models', 'tree', 'jobs', 'servers', 'settings'] as const;
const OWNERS: Readonly<Record<string, readonly (typeof LISTS)[number][]>> = {
  'list.switch': ['sessions', 'models', 'tree'],
  'list.switchBack': ['tree'],
  'list.rename': ['sessions'],
  'list.remove': ['sessions'],
  'list.role': ['models'],
  'list.label': ['tree'],
  'list.fork': ['tree'],
  'list.fold': ['tree'],
  'list.unfold': ['tree'],
  'list.stop': ['jobs'],
  'list.reload': ['servers'],
  'list.setBack': ['settings'],
};

function scopesOf(name: string): readonly string[] {
  if (name === EVERYWHERE) return ['screen', ...LISTS, 'pager', 'terminal'];
  if (IN_LISTS.includes(name)) return ['screen', ...LISTS];
  if (name.startsWith('list.')) return OWNERS[name] ?? LISTS;
  if (name.startsWith('terminal.')) return ['terminal'];
  return name.startsWith('pager.') ? ['pager'] : ['screen'];
}

/** Who is asked first: the screen, then packs, then the editor and lists; among those the order of the table. */
function inOrder(a: string, b: string, actions: Actions): readonly [string, string] {
  const names = [...actions.keys()];
  const rank = (name: string) => (name.startsWith('app.') ? 0 : /^(?:editor|list|pager)\./.test(name) ? 2 : 1);
  const isFirst = rank(a) - rank(b) || names.indexOf(a) - names.indexOf(b);
  return isFirst <= 0 ? [a, b] : [b, a];
}
