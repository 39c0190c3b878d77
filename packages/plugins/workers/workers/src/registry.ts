/** Finds adapters: built-in ones, those of other plugins, and those that settings describe. */
import { messageOf, type Registry } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { DiagnosticReport, LazyWorker, WorkerAdapter, WorkerRegistry } from './api.ts';
import { errors } from './errors.ts';
import { locateWorker } from './locate.ts';

/** What the registry stands on. */
export interface RegistryParts {
  readonly slot: Pick<Registry<WorkerAdapter | LazyWorker>, 'get' | 'list' | 'resolve'>;
  /** Names in the order in which they are preferred. */
  readonly prefer: readonly string[];
  /** Adapters that the user's settings describe; they win over others of their name. Making one fails where settings are wrong. */
  readonly custom: ReadonlyMap<string, () => Promise<WorkerAdapter>>;
  diagnose(adapter: WorkerAdapter, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<DiagnosticReport>;
  /** Makes the contract with workers. */
  readonly contract: WorkerRegistry['contract'];
  /** Tells of an adapter that is left out of a list. */
  report(fault: unknown): void;
}

/** What serves when nothing else is installed. */
const LAST_RESORT = 'tenon';

/** Makes the registry. */
export function createRegistry(parts: RegistryParts): WorkerRegistry {
  const { slot, custom } = parts;
  const loaded = new WeakMap<object, Promise<WorkerAdapter>>();
  const described = new Map<string, Promise<WorkerAdapter>>();

  const describe = (name: string, make: () => Promise<WorkerAdapter>): Promise<WorkerAdapter> => {
    const making = described.get(name) ?? make();
    described.set(name, making);
    return making;
  };

  const load = async (name: string): Promise<WorkerAdapter> => {
    const value = await slot.resolve(name);
    if (!('load' in value)) return value;
    const loading = loaded.get(value) ?? value.load();
    loaded.set(value, loading);
    try {
      return await loading;
    } catch (fault) {
      // The next use tries again: a file may be there by then.
      loaded.delete(value);
      const source = slot.get(name)?.source.plugin ?? 'unknown';
      throw errors.create('WORKERS_FAILED_TO_LOAD', { name, reason: messageOf(fault), source }, fault);
    }
  };

  /** One that cannot be used must not stand in the way of the others. */
  const orReport = (loading: Promise<WorkerAdapter>): Promise<WorkerAdapter | undefined> =>
    loading.catch((fault: unknown) => {
      parts.report(fault);
      return undefined;
    });

  const registry: WorkerRegistry = {
    async list() {
      const names = slot
        .list()
        .map(({ key }) => key)
        .filter((key) => !custom.has(key));
      const loads = [...[...custom].map(([name, make]) => describe(name, make)), ...names.map(load)];
      const adapters = (await Promise.all(loads.map(orReport))).filter((adapter) => adapter !== undefined);
      return adapters.sort((a, b) => (a.spec.id < b.spec.id ? -1 : 1));
    },

    async find(name) {
      const make = custom.get(name);
      if (make) return describe(name, make);
      if (slot.get(name)) return load(name);
      const names = [...custom.keys(), ...slot.list().map(({ key }) => key)];
      throw errors.create('WORKERS_UNKNOWN', { name, hint: didYouMean(name, names) });
    },

    locate: (adapter) => locateWorker(adapter, process.env['PATH']),

    async preferred() {
      for (const name of parts.prefer) {
        const adapter = await orReport(registry.find(name));
        if (adapter && (await registry.locate(adapter)) !== undefined) return adapter;
      }
      return registry.find(LAST_RESORT);
    },

    contract: (options) => parts.contract(options),

    async diagnose(adapter, env, signal) {
      try {
        return await parts.diagnose(adapter, env, signal);
      } catch (fault) {
        // A probe only explains: a run must not fail because of it.
        const message = `The probe failed: ${messageOf(fault)}`;
        return {
          worker: adapter.spec.id,
          at: new Date().toISOString(),
          checks: [{ id: 'cli-installed', status: 'skip', message }],
        };
      }
    },
  };
  return registry;
}
