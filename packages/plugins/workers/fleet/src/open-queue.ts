/** The fleet as those see it who ask for runs: a store, and files that travel. */
import type { Logger } from '@tenon/kernel';
import type { OpenRunQueue, RunRequest } from '@tenon/runs/api';
import type { FleetCredentials } from './credentials.ts';
import { Database } from './database/database.ts';
import { PostgresStore } from './database/postgres-store.ts';
import { checkSchema } from './database/schema.ts';
import { errors } from './errors.ts';
import type { FleetSettings } from './generated/settings.ts';
import { isRunId } from './run-id.ts';
import { labelsOf } from './queue/keys.ts';
import { sealedSecrets } from './secrets.ts';
import { remotePolicy } from './work/remotes.ts';
import { fetchWork, sendWorkspace } from './work/travel.ts';

const PATIENCE_MS = 10_000;
const CONNECTIONS = 4;

/** What the queue is made of. */
export interface QueueParts {
  readonly credentials: FleetCredentials;
  readonly settings: FleetSettings;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/** A queue that can be closed. */
export interface FleetQueue extends OpenRunQueue {
  readonly database: Database;
  close(): Promise<void>;
}

/** Opens the fleet's queue. */
export async function openFleet({ credentials, settings, env }: QueueParts): Promise<FleetQueue> {
  const database = new Database({ url: credentials.url, patienceMs: PATIENCE_MS, connections: CONNECTIONS });
  try {
    await checkSchema(database);
  } catch (fault) {
    await database.close();
    throw fault;
  }
  const store = await PostgresStore.open(database);
  const { key } = credentials;
  const travels = key !== undefined && settings.secretLabels.length > 0;
  return {
    database,
    store,
    secrets: async () => (travels ? sealedSecrets(database, { key, allowed: settings.secretLabels }) : undefined),
    async prepare(request, spec) {
      refuseWhatStaysHere(request);
      const workspace = await sendWorkspace(database, request.cwd, {
        maxBytes: settings.maxBundleMegabytes * 1_048_576,
        remotes: remotePolicy(settings),
      });
      const hasKeys = travels && spec.keyVariables.some((name) => env[name] !== undefined && env[name] !== '');
      const labels = withSecretLabel(labelsOf(request.labels ?? []), hasKeys ? settings.secretLabels : []);
      return {
        ...request,
        worktree: workspace !== undefined,
        ...(workspace && { workspace }),
        ...(labels.length > 0 && { labels }),
      };
    },
    fetchWork: (run) => fetchWork(database, run),
    async close() {
      await store.close();
      await database.close();
    },
  };
}

/** Keys go only to hosts that have one of these labels. */
export function withSecretLabel(labels: readonly string[], allowed: readonly string[]): readonly string[] {
  const [first] = allowed;
  return first === undefined || labels.some((label) => allowed.includes(label)) ? labels : [...labels, first];
}

function refuseWhatStaysHere({ context = [], key = 'a' }: RunRequest): void {
  if (!isRunId(key))
    throw errors.create('FLEET_REQUEST', { reason: 'its key is not an id', next: 'Use letters, digits, - and _.' });
  if (context.length > 0)
    throw errors.create('FLEET_REQUEST', {
      reason: '--context names files of this machine',
      next: 'Give it files with --input, or put them into the repository.',
    });
}
