import { type CommandCall, cliCommands } from '@tenon/command-line/api';
import { folders, kernelView } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { runKeeping, runQueues } from '@tenon/runs/api';
import { worktrees } from '@tenon/worktrees/api';
import { fleet } from './api.ts';
import { isSetUp, readCredentials } from './credentials.ts';
import type { Database } from './database/database.ts';
import type { FleetSettings } from './generated/settings.ts';
import type { FleetQueue } from './open-queue.ts';
import type { FleetParts } from './parts.ts';

/** Runs and workflows over several hosts, on PostgreSQL. */
export default definePlugin({
  id: 'fleet',
  config: Type.Unsafe<FleetSettings>({}),
  needs: { folders },
  defines: [fleet],
  activate(ctx) {
    const parts: FleetParts = {
      folders: ctx.needs.folders,
      settings: ctx.config,
      log: ctx.log,
      version: async () => (await ctx.find(kernelView)).version,
      keeping: () => ctx.find(runKeeping),
      worktrees: () => ctx.findOptional(worktrees),
    };
    let opened: Promise<FleetQueue> | undefined;
    const load = async () => {
      const credentials = await readCredentials(parts.folders);
      const { openFleet } = await import('./open-queue.ts');
      return openFleet({ credentials, settings: ctx.config, env: process.env, log: ctx.log });
    };
    const open = () => {
      const queue = (opened ??= load());
      // A database that could not be reached may be there the next time.
      queue.catch(() => (opened = undefined));
      return queue;
    };
    ctx.defer(async () => {
      const queue = await opened?.catch(() => undefined); // Told to whoever wanted to open it.
      await queue?.close();
    });
    const withDatabase =
      (work: (database: Database, call: CommandCall) => Promise<void>) => async (call: CommandCall) =>
        work((await open()).database, call);
    const status = () => import('./commands/status.ts');
    ctx.contribute(runQueues, 'fleet', { isSetUp: () => isSetUp(parts.folders), open });
    ctx.contribute(cliCommands, 'fleet init', {
      run: async (call) => (await import('./commands/init.ts')).initFleet(parts, call),
    });
    ctx.contribute(cliCommands, 'fleet worker', {
      run: async (call) => (await import('./commands/worker.ts')).runWorker(parts, call),
    });
    ctx.contribute(cliCommands, 'fleet status', {
      run: withDatabase(async (database, call) => (await status()).showStatus(database, call)),
    });
    ctx.contribute(cliCommands, 'fleet drain', {
      run: withDatabase(async (database, call) => (await status()).drainHost(database, call)),
    });
    ctx.contribute(cliCommands, 'fleet limit', {
      run: withDatabase(async (database, call) => (await status()).limitRuns(database, call)),
    });
    ctx.provide(fleet, {
      isSetUp: () => isSetUp(parts.folders),
      async status() {
        const { readStatus } = await import('./status.ts');
        return readStatus((await open()).database);
      },
    });
  },
});
