/** A family: all that one tool keeps in its files, as sources of the kernel's slots. */
import type { PluginContext, Slot, SlotSource } from '@tenon/kernel';
import type { PlaceDeclaration } from '@tenon/sandbox/api';
import { inside, type Origin, type Roots, Search } from './search.ts';
import type { SourceFiles } from './source-files.ts';

/** Looks for things of one kind. */
export type Look<V> = (search: Search<V>) => Promise<void>;

/** One look of a family for one kind. Looks of the same kind run in their order; what comes first wins. */
export interface FamilyLook {
  readonly slot: Slot<unknown>;
  readonly look: Look<never>;
  /** Its name and priority where they are not the family's: plugins of a tool rank lower than its own files. */
  readonly id?: string;
  readonly priority?: number;
}

/** Pairs a kind with how to look for it, so that the types fit. */
export function looksFor<V>(
  slot: Slot<V>,
  look: Look<V>,
  options: { readonly id?: string; readonly priority?: number } = {},
): FamilyLook {
  return { slot: slot as Slot<unknown>, look: look as Look<never>, ...options };
}

/** Where something is read: names inside the family's folders, or paths of its own. */
type Where = string | readonly string[] | Roots;

/** Reads a kind at some paths, with what the tool does in its own way. */
export function reads<V, Options extends readonly unknown[]>(
  slot: Slot<V>,
  where: Where,
  read: (search: Search<V>, place: Origin, ...options: Options) => Promise<unknown>,
  ...options: Options
): FamilyLook {
  return looksFor(slot, (search) => {
    // Nearly all of a family's places are absent, and a promise for each would take longer than the look.
    const there = pathsOf(search, where).filter((place) => !search.isAbsent(place));
    return there.length === 0 ? NOTHING : readAll(there, (place) => read(search, place, ...options));
  });
}

const NOTHING = Promise.resolve();

async function readAll(places: readonly Origin[], read: (place: Origin) => Promise<unknown>): Promise<void> {
  for (const place of places) await read(place);
}

function pathsOf<V>(search: Search<V>, where: Where): readonly Origin[] {
  if (typeof where === 'object' && !Array.isArray(where)) return search.places(where as Roots);
  const names = [where as string | readonly string[]].flat();
  return search.places().flatMap((place) => names.map((name) => inside(place, name)));
}

/** One tool's files. */
export interface Family {
  readonly id: string;
  /** Higher wins where two families have the same name of a kind. */
  readonly priority: number;
  /** The tool's folders. A function where a variable of the environment or a setting of Tenon can move them. */
  readonly roots?: Roots | ((config: string) => Roots);
  /** Where it looks, for the table of the guide: the user's files and the project's in Markdown, by the name that findings have. */
  readonly places?: Readonly<Record<string, readonly [user: string, project?: string]>>;
  /** Its files that make Tenon or the tool itself run something, and those with accounts. The manifest repeats them (`npm run generate`). */
  readonly protects?: PlaceDeclaration;
  readonly looks: readonly FamilyLook[];
}

const DEADLINE_MS = 20_000;

/** Makes a source of the kernel from looks. */
export function sourceOf<V>(
  id: string,
  priority: number,
  files: SourceFiles,
  looks: readonly Look<V>[],
  roots: () => Roots = () => ({}),
): SlotSource<V> {
  return {
    id,
    priority,
    deadlineMs: DEADLINE_MS,
    async load(context, call) {
      const search = new Search<V>(context, files, call, roots());
      for (const look of looks) await look(search);
      return { items: search.items, warnings: search.problems };
    },
  };
}

/** Registers everything that a family looks for. `config` is the folder of Tenon's settings. */
export function registerFamily(
  ctx: Pick<PluginContext, 'source'>,
  { id, priority, roots = {}, looks }: Family,
  files: SourceFiles,
  config = '',
): void {
  const nameOf = (look: FamilyLook) => `${look.slot.id} ${look.id ?? id}`;
  const foldersOf = typeof roots === 'function' ? () => roots(config) : () => roots;
  const byName = new Map<string, FamilyLook[]>();
  for (const look of looks) {
    const alike = byName.get(nameOf(look));
    if (alike) alike.push(look);
    else byName.set(nameOf(look), [look]);
  }
  for (const alike of byName.values()) {
    const [first] = alike;
    if (!first) continue;
    const source = sourceOf(
      first.id ?? id,
      first.priority ?? priority,
      files,
      alike.map(({ look }) => look),
      foldersOf,
    );
    ctx.source(first.slot as Slot<never>, source);
  }
}
