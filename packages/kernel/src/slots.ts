import type { TSchema } from '@sinclair/typebox';
import { kernelErrors } from './kernel-errors.ts';
import type { PluginRecord, RegistrationInfo } from './plugin-record.ts';
import { type Registry, SlotTable } from './registry.ts';
import { SourceSet } from './sources.ts';
import type { Slot } from './tokens.ts';

/** How a registry starts the plugins behind its entries. */
export interface Starters {
  startOne(plugin: string): Promise<unknown>;
  startDynamic(): Promise<unknown>;
  startAll(): Promise<unknown>;
  startSources(): Promise<unknown>;
}

interface SlotParts {
  /** A slot is first known by name, from a manifest; its schema comes with the token. */
  schema: TSchema | undefined;
  readonly table: SlotTable<unknown>;
  readonly sources: SourceSet<unknown>;
}

/** All slots with their entries and sources. */
export class Slots {
  readonly #parts = new Map<string, SlotParts>();
  #preferences: Readonly<Record<string, string>> = {};
  #held = 0;

  /** The user's choice between plugins that contribute the same key: "slot/key" -> plugin id. */
  prefer(preferences: Readonly<Record<string, string>>): void {
    this.#preferences = preferences;
  }

  #of(id: string, schema?: TSchema): SlotParts {
    let parts = this.#parts.get(id);
    if (!parts) {
      const chosen = (key: string) => this.#preferences[`${id}/${key}`];
      const table = new SlotTable<unknown>(id, chosen, () => this.#held > 0);
      parts = { schema, table, sources: new SourceSet<unknown>(id, () => this.#parts.get(id)?.schema) };
      this.#parts.set(id, parts);
    }
    parts.schema ??= schema;
    return parts;
  }

  /** The entries of a slot. */
  table<V>(slot: Slot<V>): SlotTable<V> {
    return this.#of(slot.id, slot.schema).table as unknown as SlotTable<V>;
  }

  /** The entries of a slot of which only the name is known. */
  tableById(id: string): SlotTable<unknown> {
    return this.#of(id).table;
  }

  /** The discoverers of a slot. */
  sources<V>(slot: Slot<V>): SourceSet<V> {
    return this.#of(slot.id, slot.schema).sources as unknown as SourceSet<V>;
  }

  /** True when one of these registrations goes to a slot with a schema. */
  haveSchemas(registrations: readonly RegistrationInfo[]): boolean {
    return registrations.some(({ kind, target }) => kind === 'entry' && this.#of(target).schema !== undefined);
  }

  /** Refuses a key that another plugin has at the same priority, or that anybody has already when a stranger wants it, unless the user chose. */
  assertFree(record: PluginRecord, slot: string, key: string, priority: number): void {
    const others = this.tableById(slot).sharing(key);
    const { foreign = false } = record.candidate;
    const rival = others.find(
      ({ source, ...other }) =>
        source.plugin !== record.id && (foreign || (source.foreign !== true && other.priority === priority)),
    );
    if (!rival || this.#preferences[`${slot}/${key}`] !== undefined) return;
    const details = { plugin: record.id, file: record.candidate.file, slot, key, other: rival.source.plugin };
    throw kernelErrors.create('KERNEL_KEY_TAKEN', details);
  }

  /** Holds back all notifications until the returned function is called. */
  hold(): () => void {
    this.#held++;
    return () => {
      if (--this.#held === 0) for (const { table } of this.#parts.values()) table.tell();
    };
  }

  /** Makes several changes visible as one. */
  together(change: () => void): void {
    const release = this.hold();
    try {
      change();
    } finally {
      release();
    }
  }

  /** A slot as readers see it. */
  registry<V>(slot: Slot<V>, starters: Starters): Registry<V> {
    const table = this.table(slot);
    const sources = this.sources(slot);
    return {
      get: (key) => table.get(key),
      list: () => table.list(),
      all: () => table.all(),
      watch: (listener) => table.watch(listener),
      invalidate: () => sources.invalidate(),
      async resolve(key) {
        if (!table.winner(key)) await starters.startDynamic();
        const winner = table.winner(key);
        if (!winner) throw table.unknownKey(key);
        if (!winner.live) await starters.startOne(winner.source.plugin);
        return winner.value as V;
      },
      async resolveAll() {
        await starters.startAll();
        return table.list().filter((entry): entry is typeof entry & { value: V } => entry.value !== undefined);
      },
      async load(context, signal) {
        await Promise.all([starters.startAll(), starters.startSources()]);
        return sources.load(table.records(), context, signal);
      },
    };
  }
}
