import { satisfies } from '@tenon/schema';
import { type Declarations, DYNAMIC } from './declarations.ts';
import type { Diagnostics } from './diagnostics.ts';
import { TenonError } from './errors.ts';
import { kernelErrors } from './kernel-errors.ts';
import { KERNEL_VERSION } from './kernel-plugin.ts';
import type { PluginRecord } from './plugin-record.ts';
import type { PluginCandidate } from './plugin.ts';
import { entryRecord } from './registry.ts';
import type { Slots } from './slots.ts';

/** Puts what manifests declare into the slots, and takes it out again. */
export class Installer {
  readonly #declarations: Declarations;
  readonly #slots: Slots;
  readonly #diagnostics: Diagnostics;

  constructor(declarations: Declarations, slots: Slots, diagnostics: Diagnostics) {
    this.#declarations = declarations;
    this.#slots = slots;
    this.#diagnostics = diagnostics;
  }

  install(candidates: readonly PluginCandidate[]): void {
    const { records } = this.#declarations;
    this.#slots.together(() => candidates.forEach((candidate) => this.#installOne(candidate)));
    for (const record of records.values()) {
      const { code } = record.error ?? {};
      // What was missing or circular may be right now that the set of plugins has changed.
      if (code === 'KERNEL_NEED_MISSING' || code === 'KERNEL_NEEDS_CYCLE') {
        Object.assign(record, { state: 'installed', error: undefined });
        this.#diagnostics.forget(record.id);
      }
      const cycle = record.state === 'installed' && this.#declarations.cycleThrough(record.id);
      if (cycle)
        this.#refuse(
          record,
          kernelErrors.create('KERNEL_NEEDS_CYCLE', { plugin: record.id, cycle: cycle.join(' -> ') }),
        );
    }
  }

  #installOne(candidate: PluginCandidate): void {
    const { manifest, file, disabled } = candidate;
    const { id } = manifest;
    const other = this.#declarations.records.get(id);
    if (other) {
      this.#diagnostics.report(
        kernelErrors.create('KERNEL_PLUGIN_DUPLICATE', { plugin: id, file, other: other.candidate.file }),
      );
      return;
    }
    const record: PluginRecord = { id, candidate, manifest, state: disabled === undefined ? 'installed' : 'disabled' };
    const conflict = disabled === undefined ? this.#conflict(record) : undefined;
    this.#declarations.records.set(id, record);
    this.#declarations.changed();
    if (conflict) this.#refuse(record, conflict);
    else if (disabled === undefined) this.#declare(record);
  }

  /** True when the candidate cannot be installed beside the others as things stand. */
  conflicts(candidate: PluginCandidate): boolean {
    return (
      this.#conflict({ id: candidate.manifest.id, candidate, manifest: candidate.manifest, state: 'installed' }) !==
      undefined
    );
  }

  #conflict(record: PluginRecord): TenonError | undefined {
    const { id, manifest, candidate } = record;
    const { kernel: range, provides = [], contributes = {} } = manifest;
    const details = { plugin: id, file: candidate.file };
    if (!satisfies(KERNEL_VERSION, range)) {
      return kernelErrors.create('KERNEL_RANGE_UNSUPPORTED', { ...details, range, version: KERNEL_VERSION });
    }
    for (const service of provides) {
      const other = [...this.#declarations.records.values()].find(
        (record) => record.state !== 'disabled' && record.manifest.provides?.includes(service),
      );
      if (other) return kernelErrors.create('KERNEL_SERVICE_TAKEN', { ...details, service, other: other.id });
    }
    try {
      for (const [slot, keys] of Object.entries(contributes)) {
        for (const [key, data] of Object.entries(keys)) this.#slots.assertFree(record, slot, key, priorityIn(data));
      }
    } catch (fault) {
      if (fault instanceof TenonError) return fault;
      throw fault;
    }
    return undefined;
  }

  #refuse(record: PluginRecord, error: TenonError): void {
    Object.assign(record, { state: 'failed', error });
    this.#diagnostics.report(error);
  }

  #declare({ id, candidate, manifest }: PluginRecord): void {
    for (const [slot, keys] of Object.entries(manifest.contributes ?? {})) {
      for (const [key, data] of Object.entries(keys)) {
        if (key === DYNAMIC) continue;
        const { file, foreign } = candidate;
        const source = { plugin: id, file, ...(foreign && { foreign }) };
        this.#slots
          .tableById(slot)
          .add(entryRecord({ key, data, source, priority: priorityIn(data), value: undefined, live: false }));
      }
    }
  }

  /** Forgets a plugin that is not running. */
  remove({ id, manifest }: PluginRecord): void {
    this.#slots.together(() => {
      for (const [slot, keys] of Object.entries(manifest.contributes ?? {})) {
        const table = this.#slots.tableById(slot);
        for (const key of Object.keys(keys)) {
          const declared = table.of(id, key);
          if (declared) table.remove(declared);
        }
      }
    });
    this.#declarations.records.delete(id);
    this.#declarations.changed();
    this.install([]);
  }
}

function priorityIn(data: Readonly<Record<string, unknown>>): number {
  return typeof data['priority'] === 'number' ? data['priority'] : 0;
}
