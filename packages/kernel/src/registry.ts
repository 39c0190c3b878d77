import { type Disposable, disposable } from './disposable.ts';
import { joinFaults, type TenonError } from './errors.ts';
import { kernelErrors } from './kernel-errors.ts';
import { didYouMean } from '@tenon/wording';

/** Where an entry came from. */
export interface EntrySource {
  readonly plugin: string;
  /** The file that declares or holds the entry. */
  readonly file?: string | undefined;
  /** The discoverer that found it, for entries of slot sources. */
  readonly source?: string;
  /** Whose it is: the user's, the project's, or built in. */
  readonly level?: string | undefined;
  /** True for what a stranger's plugin brings; the kernel says so, whatever the entry says about itself. */
  readonly foreign?: boolean;
}

/** One entry of a slot. */
export interface Entry<V> {
  readonly key: string;
  /** What the manifest says about it; readable without running the plugin's code. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly source: EntrySource;
  readonly priority: number;
  /** True when another entry with the same key comes first. */
  readonly shadowed: boolean;
  /** The value, once the contributing plugin runs. */
  readonly value: V | undefined;
}

/** What changed in a slot, seen by those who read it. */
export interface RegistryChange<V> {
  readonly added: readonly Entry<V>[];
  readonly removed: readonly Entry<V>[];
  /** Entries whose value came, went or was replaced while the key stayed. */
  readonly changed: readonly Entry<V>[];
}

/** Where and for whom sources look for entries. */
export interface LoadContext {
  readonly cwd: string;
  readonly home: string;
  /** Whether the user trusts the folder; sources must not run code of an untrusted one. */
  readonly trusted: boolean;
}

/** One thing that a source found. */
export interface SourceItem<V> {
  readonly key: string;
  readonly value: V;
  readonly file?: string;
  readonly level?: string;
  readonly priority?: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A discoverer of entries: files, folders, the configuration of other programs. */
export interface SlotSource<V> {
  readonly id: string;
  readonly priority?: number;
  readonly deadlineMs?: number;
  load(
    context: LoadContext,
    call: { readonly signal: AbortSignal },
  ): Promise<{
    readonly items: readonly SourceItem<V>[];
    /** What could not be used, as sentences or as errors of the source's own catalogue. */
    readonly warnings?: readonly (string | TenonError)[];
  }>;
}

/** All entries of a slot for one load context: contributed and discovered. */
export interface LoadResult<V> {
  readonly entries: readonly Entry<V>[];
  readonly shadowed: readonly Entry<V>[];
  /** Failed sources, warnings and dropped items, each with the name of its source. */
  readonly problems: readonly TenonError[];
}

/** A slot, as plugins read it. */
export interface Registry<V> {
  /** The entry that wins for a key. */
  get(key: string): Entry<V> | undefined;
  /** The winning entries, first the one with the highest priority. */
  list(): readonly Entry<V>[];
  /** All entries, the shadowed ones included. */
  all(): readonly Entry<V>[];
  /** The value for a key; starts the plugin that contributes it if needed. */
  resolve(key: string): Promise<V>;
  /** All values; starts every plugin that contributes to the slot. Those that fail are reported and left out. */
  resolveAll(): Promise<readonly (Entry<V> & { readonly value: V })[]>;
  /** Tells what was added and removed from now on. */
  watch(listener: (change: RegistryChange<V>) => void): Disposable;
  /** Contributed and discovered entries for a context; cached until invalidated. */
  load(context: LoadContext, signal?: AbortSignal): Promise<LoadResult<V>>;
  /** Forgets what sources found. */
  invalidate(): void;
}

/** An entry as the kernel keeps it. */
export interface EntryRecord<V> {
  readonly key: string;
  data: Readonly<Record<string, unknown>>;
  source: EntrySource;
  priority: number;
  readonly sequence: number;
  value: V | undefined;
  live: boolean;
}

let sequence = 0;

/** Makes an entry record; records made earlier win over later ones of the same priority. */
export function entryRecord<V>(fields: Omit<EntryRecord<V>, 'sequence'>): EntryRecord<V> {
  return { ...fields, sequence: sequence++ };
}

interface Ranked {
  readonly priority: number;
  readonly sequence: number;
  readonly source?: EntrySource;
}

/** Highest priority first, then first come; strangers last, because a priority must not let them take somebody's place. */
export function byRank(a: Ranked, b: Ranked): number {
  const strangers = Number(a.source?.foreign === true) - Number(b.source?.foreign === true);
  return strangers || b.priority - a.priority || a.sequence - b.sequence;
}

/** The entries of one slot and who watches them. It knows nothing about plugins' lifecycles. */
export class SlotTable<V> {
  readonly #slot: string;
  readonly #records = new Map<string, EntryRecord<V>[]>();
  readonly #watchers = new Set<(change: RegistryChange<V>) => void>();
  readonly #preferred: (key: string) => string | undefined;
  /** The winners before the changes that watchers have not seen yet. */
  readonly #before = new Map<string, Entry<V> | undefined>();
  readonly #isHeld: () => boolean;
  /** What `list` gives, until something changes. */
  #listed: readonly Entry<V>[] | undefined;

  /** `preferred` names the plugin that the user chose for a key, if any. While `isHeld` says so, watchers see nothing until `tell`. */
  constructor(slot: string, preferred: (key: string) => string | undefined, isHeld: () => boolean) {
    this.#slot = slot;
    this.#preferred = preferred;
    this.#isHeld = isHeld;
  }

  /** The winner for a key, as it is kept. */
  winner(key: string): EntryRecord<V> | undefined {
    return this.sharing(key)[0];
  }

  /** All records of a key, the winner first. */
  sharing(key: string): readonly EntryRecord<V>[] {
    return this.#records.get(key) ?? [];
  }

  /** The record of one plugin for a key. */
  of(plugin: string, key: string): EntryRecord<V> | undefined {
    return this.sharing(key).find(({ source }) => source.plugin === plugin);
  }

  /** Adds an entry. */
  add(record: EntryRecord<V>): void {
    this.#edit(record.key, () =>
      this.#records.set(record.key, [...(this.#records.get(record.key) ?? []), record].sort(this.#order)),
    );
  }

  /** Removes an entry. */
  remove(record: EntryRecord<V>): void {
    this.#edit(record.key, () => {
      const rest = (this.#records.get(record.key) ?? []).filter((other) => other !== record);
      if (rest.length > 0) this.#records.set(record.key, rest);
      else this.#records.delete(record.key);
    });
  }

  /** Changes an entry in place. */
  update(record: EntryRecord<V>, fields: Partial<Omit<EntryRecord<V>, 'key' | 'sequence'>>): void {
    this.#edit(record.key, () => {
      Object.assign(record, fields);
      this.#records.get(record.key)?.sort(this.#order);
    });
  }

  #edit(key: string, edit: () => void): void {
    if (this.#watchers.size > 0 && !this.#before.has(key)) this.#before.set(key, this.get(key));
    edit();
    this.#listed = undefined;
    if (!this.#isHeld()) this.tell();
  }

  #order = (a: EntryRecord<V>, b: EntryRecord<V>): number => {
    const preferred = this.#preferred(a.key);
    const chosen = Number(b.source.plugin === preferred) - Number(a.source.plugin === preferred);
    return (preferred === undefined ? 0 : chosen) || byRank(a, b);
  };

  /** Shows watchers what has changed. */
  tell(): void {
    if (this.#before.size === 0) return;
    const change = { added: [] as Entry<V>[], removed: [] as Entry<V>[], changed: [] as Entry<V>[] };
    for (const [key, old] of this.#before) {
      const now = this.get(key);
      if (old && now && !(old.source === now.source && old.value === now.value)) change.changed.push(now);
      else if (!old && now) change.added.push(now);
      else if (old && !now) change.removed.push(old);
    }
    this.#before.clear();
    if (change.added.length + change.removed.length + change.changed.length === 0) return;
    const faults: unknown[] = [];
    for (const watcher of [...this.#watchers]) {
      try {
        watcher(change);
      } catch (fault) {
        faults.push(fault);
      }
    }
    const joined = joinFaults(faults, `watchers of "${this.#slot}" failed`);
    if (joined) throw joined;
  }

  /** The winning entry of a key. */
  get(key: string): Entry<V> | undefined {
    const record = this.winner(key);
    return record && present(record, false);
  }

  /** The winning entries. */
  list(): readonly Entry<V>[] {
    this.#listed ??= [...this.#records.values()]
      .flatMap((records) => records.slice(0, 1))
      .sort(byRank)
      .map((record) => present(record, false));
    return this.#listed;
  }

  /** All entries. */
  all(): Entry<V>[] {
    return [...this.#records.values()]
      .flatMap((records) => records.map((record, index) => ({ record, shadowed: index > 0 })))
      .sort((a, b) => byRank(a.record, b.record))
      .map(({ record, shadowed }) => present(record, shadowed));
  }

  /** Calls `listener` with every change from now on. */
  watch(listener: (change: RegistryChange<V>) => void): Disposable {
    this.#watchers.add(listener);
    return disposable(() => void this.#watchers.delete(listener));
  }

  /** All records, for the loading of sources. */
  records(): EntryRecord<V>[] {
    return [...this.#records.values()].flat();
  }

  /** The error for a key without an entry. */
  unknownKey(key: string): TenonError {
    const keys = [...this.#records.keys()].sort();
    const hint = didYouMean(key, keys);
    return kernelErrors.create('KERNEL_KEY_UNKNOWN', {
      slot: this.#slot,
      key,
      hint,
      keys: keys.length > 0 ? keys : 'none',
    });
  }
}

/** An entry as readers see it. */
export function present<V>(record: EntryRecord<V>, shadowed: boolean): Entry<V> {
  const { key, data, source, priority, value } = record;
  return { key, data, source, priority, shadowed, value };
}
