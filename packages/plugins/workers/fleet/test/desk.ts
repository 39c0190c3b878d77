/** Who asks for runs, for measurements: the service, the database below it, and the status. */
import { runs } from '@tenon/runs/api';
import { runCommand } from '@tenon/test-kit/command-run';
import { endKernel } from '@tenon/test-kit/kernel';
import { fleet } from '../src/api.ts';
import { Database } from '../src/database/database.ts';
import { PostgresStore } from '../src/database/postgres-store.ts';
import { startPlace } from './place.ts';

/** Opens a desk on a new database. */
export async function openDesk(base: string, url: string) {
  const { kernel, folders } = await startPlace(base);
  await runCommand(kernel, 'fleet init', { flags: { postgres: url } });
  const service = await kernel.find(runs);
  const state = await kernel.find(fleet);
  const database = new Database({ url, patienceMs: 60_000, connections: 4 });
  return {
    service,
    database,
    cwd: folders.cwd,
    status: () => state.status(),
    limit: (key: string, number: string) => runCommand(kernel, 'fleet limit', { args: { key, number } }),
    /** A store on connections of its own, as a host has one. */
    async store() {
      const own = new Database({ url, patienceMs: 60_000, connections: 2 });
      const store = await PostgresStore.open(own);
      return {
        store,
        async close() {
          await store.close();
          await own.close();
        },
      };
    },
    async close() {
      await database.close();
      await endKernel(kernel);
    },
  };
}
