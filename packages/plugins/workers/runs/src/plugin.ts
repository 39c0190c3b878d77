import { accounts } from '@tenon/accounts/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { jobs } from '@tenon/jobs/api';
import { definePlugin, Type } from '@tenon/kernel';
import { authStore } from '@tenon/models/api';
import { sandboxes } from '@tenon/sandbox/api';
import { tools } from '@tenon/tools/api';
import { validation } from '@tenon/validation/api';
import { workerRegistry, workers } from '@tenon/workers/api';
import { worktrees } from '@tenon/worktrees/api';
import { runEvent, runKeeping, runOutput, runQueues, type Runs, runs, runStores } from './api.ts';
import type { RunsSettings } from './generated/settings.ts';
import type { RunsParts } from './parts.ts';
import type { RunStore } from './store/run-store.ts';
import { contributeCommands } from './commands/contribute.ts';
import { createCodeWithAgent } from './tool/code-with-agent.ts';

/** Runs of workers: recorded first, detached, followed, answered, retried, taken over. */
export default definePlugin({
  id: 'runs',
  config: Type.Unsafe<RunsSettings>({}),
  needs: { folders },
  defines: [runs, runEvent, runKeeping, runOutput, runQueues, runStores],
  activate(ctx) {
    let opened: Promise<RunStore> | undefined;
    let ensuring: Promise<() => Promise<void>> | undefined;
    const openStore = async () => {
      const { store: name, storeUrl } = ctx.config;
      const { runsFolder } = await import('./keeper/places.ts');
      const folder = runsFolder(ctx.needs.folders.state);
      return (await ctx.read(runStores).resolve(name)).open({
        folder,
        ...(storeUrl !== undefined && { url: storeUrl }),
      });
    };
    const parts: RunsParts = {
      folders: ctx.needs.folders,
      settings: ctx.config,
      log: ctx.log,
      env: process.env,
      store: () => (opened ??= openStore()),
      registry: () => ctx.find(workerRegistry),
      accounts: () => ctx.findOptional(accounts),
      secrets: () => ctx.findOptional(authStore),
      sandboxes: () => ctx.findOptional(sandboxes),
      validation: () => ctx.findOptional(validation),
      worktrees: () => ctx.findOptional(worktrees),
      async tell({ outputs, events }) {
        for (const output of outputs) await ctx.run(runOutput, output);
        for (const event of events) await ctx.run(runEvent, event);
      },
      async ensureKeeper() {
        ensuring ??= import('./keeper/keep.ts').then(({ KeeperStarter }) => {
          const starter = new KeeperStarter(parts.folders, parts.env, parts.store);
          return () => starter.ensure();
        });
        await (
          await ensuring
        )();
      },
    };
    ctx.defer(async () => (await opened)?.close());
    let made: Promise<Runs> | undefined;
    const queues = ctx.read(runQueues);
    const elsewhere = new Map<string, Promise<Runs>>();
    const openQueue = async (name: string): Promise<Runs> => {
      const queue = await (await queues.resolve(name)).open();
      const { RunsService } = await import('./service.ts');
      const nobody = async () => undefined;
      return new RunsService({
        ...parts,
        queue,
        store: async () => queue.store,
        secrets: () => queue.secrets(),
        // Worktrees of its runs are on other hosts, and so are their keepers.
        worktrees: nobody,
        ensureKeeper: nobody,
      });
    };
    const open = (name: string) => {
      const opened_ = elsewhere.get(name) ?? openQueue(name);
      elsewhere.set(name, opened_);
      // A database that could not be reached may be there the next time.
      opened_.catch(() => elsewhere.delete(name));
      return opened_;
    };
    const makeService = async (): Promise<Runs> => {
      const { RunsService } = await import('./service.ts');
      const { RoutedRuns } = await import('./routed-runs.ts');
      const isSetUp = new Map<string, boolean>();
      for (const { key } of queues.list()) isSetUp.set(key, (await queues.resolve(key)).isSetUp());
      const names = () => [...isSetUp].flatMap(([name, isUsable]) => (isUsable ? [name] : []));
      const { queue: usual } = ctx.config;
      return new RoutedRuns({ local: new RunsService(parts), usual, log: ctx.log, names, open });
    };
    const load = () => (made ??= makeService());
    ctx.provide(runs, {
      start: async (request) => (await load()).start(request),
      find: async (name) => (await load()).find(name),
      details: async (run) => (await load()).details(run),
      list: async (filter) => (await load()).list(filter),
      async *follow(run, options) {
        yield* (await load()).follow(run, options);
      },
      answer: async (run, answers) => (await load()).answer(run, answers),
      send: async (run, text) => (await load()).send(run, text),
      retry: async (run) => (await load()).retry(run),
      cancel: async (run) => (await load()).cancel(run),
      remove: async (run, options) => (await load()).remove(run, options),
      collect: async (options) => (await load()).collect(options),
      apply: async (run) => (await load()).apply(run),
      diff: async (run) => (await load()).diff(run),
      hijack: async (run, options) => (await load()).hijack(run, options),
      candidate: async (run) => (await load()).candidate(run),
      release: async (run, exitCode) => (await load()).release(run, exitCode),
    });
    ctx.provide(runKeeping, {
      keep: async (options) => (await import('./keeper/keep-elsewhere.ts')).keepElsewhere(parts, options),
      end: async (isMeant) => (await import('./keeper/keep-elsewhere.ts')).endOfSessions(isMeant),
    });
    ctx.contribute(runStores, 'sqlite', {
      open: async (place) => (await import('./store/sqlite-store.ts')).sqliteStore.open(place),
    });
    contributeCommands(ctx, load, parts);
    ctx.contribute(
      tools,
      'code_with_agent',
      createCodeWithAgent({
        runs: load,
        registry: parts.registry,
        jobs: () => ctx.findOptional(jobs),
        workers: ctx
          .read(workers)
          .list()
          .map(({ key }) => key),
        cwd: ctx.needs.folders.cwd,
      }),
    );
    ctx.contribute(cliCommands, 'runs keep', {
      run: async ({ signal }) => (await import('./keeper/keep.ts')).keep(parts, signal),
    });
  },
});
