/** What worlds of tests and keepers in processes of their own share. */
import type { WorkerAdapter, WorkerRegistry } from '@tenon/workers/api';
import type { RunsParts } from '../src/parts.ts';

/** Settings as they are by default, but quick. */
export const SETTINGS: RunsParts['settings'] = {
  store: 'sqlite',
  slots: 4,
  timeoutMinutes: 0,
  idleTimeoutMinutes: 30,
  maxOutputMegabytes: 256,
  graceSeconds: 0.3,
  missingSignalRetries: 1,
  queue: 'local',
};

/** A registry with these workers alone. */
export function registryOf(...adapters: readonly WorkerAdapter[]): WorkerRegistry {
  const find = async (name: string) => {
    const found = adapters.find(({ spec }) => spec.id === name);
    if (found === undefined) throw new Error(`no worker ${name}`);
    return found;
  };
  return {
    list: async () => adapters,
    find,
    locate: async ({ spec }) => (spec.program === 'missing' ? undefined : '/bin/sh'),
    preferred: () => find(adapters[0]?.spec.id ?? ''),
    diagnose: async ({ spec }) => ({
      worker: spec.id,
      at: new Date().toISOString(),
      checks: [{ id: 'rate-limit', status: 'pass', message: 'There is room.' }],
    }),
    contract: async () => ({
      surface: 'semantic',
      tools: [],
      promptGuidance: 'Tools are offered.',
      docsGuidance: '',
      launch: { command: 'tenon', args: ['mcp', 'serve'] },
    }),
  };
}
