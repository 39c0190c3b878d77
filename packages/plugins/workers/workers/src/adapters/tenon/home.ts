/**
 * A home of its own for each run of Tenon: settings, packs, the login and sessions are the user's own. What Tenon keeps about runs and
 * accounts is not in it, because a worker must not reach its own keeper.
 */
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { findFolders } from '@tenon/host';
import type { WorkerAdapter } from '../../api.ts';
import type { StatePlace } from '../../spec.ts';
import { answerHeldCalls } from './held-calls.ts';

/** Parts of the data folder that a worker reads. */
const READ = ['credentials.json', 'packs', 'plugins', 'extensions.json', 'opencode-modules.json'];
const SESSIONS = 'sessions';
/** Where Tenon keeps calls that wait, in its folder of state. */
const HELD = 'approvals';

/** What the home links to. */
export const STATE: readonly StatePlace[] = [
  { path: '$config', access: 'read' },
  ...READ.map((name) => ({ path: `$data/${name}`, access: 'read' as const })),
  { path: `$data/${SESSIONS}` },
];

/**
 * Makes the home. The folder of data is the user's own, of which the sandbox shows the parts above: where its login cannot be written, it
 * cannot be locked either, and so is not renewed only to be lost.
 */
export const prepareHome: NonNullable<WorkerAdapter['prepare']> = async ({ scratch, env, kept, answers = [] }) => {
  const { config, data } = findFolders(env, scratch);
  const home = join(scratch, 'tenon-home');
  // What is left of an attempt that was killed.
  await rm(home, { recursive: true, force: true });
  for (const folder of [home, config, join(data, SESSIONS)]) await mkdir(folder, { recursive: true, mode: 0o700 });
  await symlink(config, join(home, 'config'));
  await symlink(data, join(home, 'data'));
  const prepared = { env: { TENON_HOME: home }, clean: () => rm(home, { recursive: true, force: true }) };
  if (kept === undefined) return prepared;
  // Calls that wait for a person outlive the process that made them.
  const held = join(kept, HELD);
  for (const folder of [held, join(home, 'state')]) await mkdir(folder, { recursive: true, mode: 0o700 });
  await symlink(held, join(home, 'state', HELD));
  await answerHeldCalls(held, answers);
  return { ...prepared, folders: [held] };
};
