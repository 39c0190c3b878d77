import type { TSchema } from '@sinclair/typebox';
import { allow, lateError, withDeadline } from './deadline.ts';
import { type Disposable, disposable } from './disposable.ts';
import { messageOf, type TenonError } from './errors.ts';
import { kernelErrors } from './kernel-errors.ts';
import {
  byRank,
  type Entry,
  type EntryRecord,
  entryRecord,
  type LoadContext,
  type LoadResult,
  present,
  type SlotSource,
} from './registry.ts';
import { checkSchema, loadSchemaCompiler, problemText } from '@tenon/schema';

const DEFAULT_SOURCE_DEADLINE_MS = 5_000;

interface SourceRecord<V> {
  readonly plugin: string;
  readonly source: SlotSource<V>;
  readonly foreign: boolean;
}

/** The discoverers of one slot. They all load in parallel; what they find is cached until invalidated. */
export class SourceSet<V> {
  readonly #slot: string;
  readonly #schema: () => TSchema | undefined;
  readonly #sources = new Set<SourceRecord<V>>();
  readonly #cache = new Map<string, Promise<{ records: EntryRecord<V>[]; problems: TenonError[] }>>();

  /** `schema` is called when something is loaded: it becomes known with the plugin that defines the slot. */
  constructor(slot: string, schema: () => TSchema | undefined) {
    this.#slot = slot;
    this.#schema = schema;
  }

  /** Adds a discoverer. */
  add(plugin: string, source: SlotSource<V>, foreign = false): Disposable {
    const record = { plugin, source, foreign };
    this.#sources.add(record);
    this.invalidate();
    return disposable(() => {
      this.#sources.delete(record);
      this.invalidate();
    });
  }

  /** Forgets what was found. */
  invalidate(): void {
    this.#cache.clear();
  }

  /** What the sources find for a context, merged with the contributed entries: first wins, by priority. */
  async load(
    contributed: readonly EntryRecord<V>[],
    context: LoadContext,
    signal?: AbortSignal,
  ): Promise<LoadResult<V>> {
    const cacheKey = JSON.stringify([context.cwd, context.home, context.trusted]);
    let loading = this.#cache.get(cacheKey);
    if (!loading) {
      loading = this.#discover(context, signal);
      this.#cache.set(cacheKey, loading);
      // A load that was aborted must not be the answer for the next caller.
      loading.catch(() => this.#cache.get(cacheKey) === loading && this.#cache.delete(cacheKey));
    }
    const { records, problems } = await loading;
    const keys = new Set<string>();
    const result = { entries: [] as Entry<V>[], shadowed: [] as Entry<V>[], problems };
    for (const record of [...contributed, ...records].sort(byRank)) {
      const shadowed = keys.has(record.key);
      keys.add(record.key);
      (shadowed ? result.shadowed : result.entries).push(present(record, shadowed));
    }
    return result;
  }

  async #discover(
    context: LoadContext,
    signal?: AbortSignal,
  ): Promise<{ records: EntryRecord<V>[]; problems: TenonError[] }> {
    if (this.#schema() && this.#sources.size > 0) await loadSchemaCompiler();
    const loads = await Promise.all([...this.#sources].map((record) => this.#loadOne(record, context, signal)));
    signal?.throwIfAborted();
    return { records: loads.flatMap(({ records }) => records), problems: loads.flatMap(({ problems }) => problems) };
  }

  async #loadOne({ plugin, source, foreign }: SourceRecord<V>, context: LoadContext, signal: AbortSignal | undefined) {
    const slot = this.#slot;
    const schema = this.#schema();
    const ms = source.deadlineMs ?? DEFAULT_SOURCE_DEADLINE_MS;
    const records: EntryRecord<V>[] = [];
    const problems: TenonError[] = [];
    try {
      const { items, warnings = [] } = await withDeadline((call) => source.load(context, call), {
        signal,
        // What is found is kept for everybody, so a caller who is in a hurry does not shorten it.
        allowance: () => allow(() => `source "${source.id}"`, ms, {}),
        late: (allowance) => lateError(`Source "${source.id}" of slot "${slot}"`, plugin, allowance),
      });
      const warn = (reason: string) =>
        kernelErrors.create('KERNEL_SOURCE_WARNING', { source: source.id, slot, plugin, reason });
      problems.push(...warnings.map((warning) => (typeof warning === 'string' ? warn(warning) : warning)));
      for (const item of items) {
        const { key, value, file, level, data = {} } = item;
        const bad = schema ? checkSchema(schema, value) : [];
        if (bad.length > 0) {
          const details = { key, slot, plugin: source.id, file: file ?? 'no file', problems: problemText(bad) };
          problems.push(kernelErrors.create('KERNEL_ENTRY_INVALID', details));
          continue;
        }
        const origin = { plugin, source: source.id, file, level, ...(foreign && { foreign }) };
        const priority = item.priority ?? source.priority ?? 0;
        records.push(entryRecord({ key, value, data, source: origin, priority, live: true }));
      }
    } catch (fault) {
      const details = { source: source.id, slot, plugin, reason: messageOf(fault) };
      problems.push(kernelErrors.create('KERNEL_SOURCE_FAILED', details, fault));
    }
    return { records, problems };
  }
}
