/** A family: all that one tool keeps in its files, as sources of the kernel's slots. */
import type { PluginContext, Slot, SlotSource } from '@tenon/kernel';
import { Search } from './search.ts';
import type { SourceFiles } from './source-files.ts';

/** Looks for things of one kind. */
export type Look<V> = (search: Search<V>) => Promise<void>;

/** How one family looks for one kind. */
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

/** One tool's files. */
export interface Family {
  readonly id: string;
  /** Higher wins where two families have the same name of a kind. */
  readonly priority: number;
  readonly looks: readonly FamilyLook[];
}

const DEADLINE_MS = 20_000;

/** Makes a source of the kernel from a look. */
export function sourceOf<V>(id: string, priority: number, files: SourceFiles, look: Look<V>): SlotSource<V> {
  return {
    id,
    priority,
    deadlineMs: DEADLINE_MS,
    async load(context, { signal }) {
      const search = new Search<V>(context, files, signal);
      await look(search);
      return { items: search.items, warnings: search.problems };
    },
  };
}

/** Registers everything that a family looks for. */
export function registerFamily(ctx: Pick<PluginContext, 'source'>, family: Family, files: SourceFiles): void {
  for (const { slot, look, id = family.id, priority = family.priority } of family.looks)
    ctx.source(slot as Slot<never>, sourceOf(id, priority, files, look));
}
