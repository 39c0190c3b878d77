/** The engine of runs over real files and processes, with a keeper in this process. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { separateFolders } from '@tenon/test-kit/kernel';
import { until } from '@tenon/test-kit/waiting';
import { keep } from '../src/keeper/keep.ts';
import type { RunsParts } from '../src/parts.ts';
import type { Run, RunEvent, RunNews, RunOutput, RunRequest, RunState } from '../src/run.ts';
import { RunsService } from '../src/service.ts';
import { sqliteStore } from '../src/store/sqlite-store.ts';
import type { RunStore } from '../src/store/run-store.ts';
import { type FakeOptions, fakeWorker } from './fake-worker.ts';
import { registryOf, SETTINGS } from './settings.ts';

export { registryOf, SETTINGS };

/** A place for runs and the services around it. */
export interface World {
  readonly base: string;
  readonly work: string;
  readonly parts: RunsParts;
  readonly service: RunsService;
  readonly store: RunStore;
  /** What the hooks were told. */
  readonly told: { readonly outputs: RunOutput[]; readonly events: RunEvent[] };
  start(script: string, request?: Partial<RunRequest> & { readonly resume?: string }): Promise<Run>;
  /** Waits for a state. */
  reaches(run: Run, ...states: readonly RunState[]): Promise<Run>;
  /** All output of a run. */
  output(run: Run): Promise<string>;
  news(run: Run): Promise<readonly RunNews[]>;
}

/** Makes a world; `parts` replaces what a test needs otherwise. */
export async function makeWorld(more: Partial<RunsParts> = {}, base = temporaryFolder('runs')): Promise<World> {
  const places = separateFolders(base);
  mkdirSync(places.cwd, { recursive: true });
  const store = await sqliteStore.open({ folder: join(places.state, 'runs') });
  const told: World['told'] = { outputs: [], events: [] };
  const ending = new AbortController();
  let keeping: Promise<void> | undefined;
  const log = () => undefined;
  const parts: RunsParts = {
    folders: places,
    settings: SETTINGS,
    log: { debug: log, info: log, warn: log, error: log } as unknown as RunsParts['log'],
    env: process.env,
    store: async () => store,
    registry: async () => registryOf(fakeWorker),
    accounts: async () => undefined,
    secrets: async () => undefined,
    sandboxes: async () => undefined,
    validation: async () => undefined,
    worktrees: async () => undefined,
    async tell({ outputs, events }) {
      told.outputs.push(...outputs);
      told.events.push(...events);
    },
    async ensureKeeper() {
      keeping ??= keep(parts, ending.signal).finally(() => (keeping = undefined));
    },
    ...more,
  };
  later(async () => {
    ending.abort();
    await keeping?.catch(() => undefined);
    await store.close();
  });
  const service = new RunsService(parts);
  const news = (run: Run) => store.news(run.id, 0, 100_000);
  return {
    base,
    work: places.cwd,
    parts,
    service,
    store,
    told,
    start: (script, { resume, ...request } = {}) => {
      const options: FakeOptions = { script, ...(resume !== undefined && { resume }) };
      return service.start({
        task: 'do it',
        cwd: places.cwd,
        worker: 'fake',
        worktree: false,
        options: { ...options },
        ...request,
      });
    },
    async reaches(run, ...states) {
      let now: Run | undefined;
      await until(
        async () => {
          now = await store.get(run.id);
          if (now?.state === 'failed' && !states.includes('failed'))
            throw new Error(`the run failed: ${now.error?.message}`);
          return now !== undefined && states.includes(now.state);
        },
        `the run becoming ${states.join(' or ')}`,
      );
      return now ?? run;
    },
    async output(run) {
      const outputs = await store.outputs(run.id, { session: 0, sequence: 0 }, 1_000_000);
      return outputs.map(({ text }) => text).join('');
    },
    news,
  };
}
