/** A keeper in a process of its own, for tests that kill it. Its first argument is the base folder of a world. */
import { join } from 'node:path';
import { keep } from '../src/keeper/keep.ts';
import type { RunsParts } from '../src/parts.ts';
import { sqliteStore } from '../src/store/sqlite-store.ts';
import { fakeWorker } from './fake-worker.ts';
import { registryOf, SETTINGS } from './settings.ts';

const [, , base = '', slots = '4'] = process.argv;
const at = (name: string) => join(base, name);
const store = await sqliteStore.open({ folder: join(at('state'), 'runs') });
const log = () => undefined;
const parts: RunsParts = {
  folders: {
    config: at('config'),
    data: at('data'),
    state: at('state'),
    cache: at('cache'),
    home: at('home'),
    cwd: at('work'),
  },
  settings: { ...SETTINGS, slots: Number(slots) },
  log: { debug: log, info: log, warn: log, error: log } as unknown as RunsParts['log'],
  env: process.env,
  store: async () => store,
  registry: async () => registryOf(fakeWorker),
  accounts: async () => undefined,
  secrets: async () => undefined,
  sandboxes: async () => undefined,
  validation: async () => undefined,
  worktrees: async () => undefined,
  tell: async () => undefined,
  ensureKeeper: async () => undefined,
};
await keep(parts, new AbortController().signal);
await store.close();
