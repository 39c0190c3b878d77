/** Files of a repository on their way to a host and back, as git bundles in the database. */
import { writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { realpathSync } from 'node:fs';
import { runGit } from '@tenon/host';
import type { Run, RunWorkspace } from '@tenon/runs/api';
import type { Database } from '../database/database.ts';
import { SCHEMA } from '../database/schema.ts';
import { errors } from '../errors.ts';
import { bundleIdOf, type Remote, remoteOf, workIdOf } from './bundle-id.ts';
import { commitOf, git, withScratch } from './git.ts';
import { type RemotePolicy, remoteProblem } from './remotes.ts';

/** Keeps what runs of the fleet were made from, and what came back, from git's clean-up; also the names of commits inside of bundles. */
const KEPT = 'refs/tenon/fleet';

const PART = 4 * 1_048_576;

/** How files travel. */
export interface TravelOptions {
  readonly maxBytes: number;
  /** From which remotes hosts fetch what is there; undefined when all travels. */
  readonly remotes: RemotePolicy | undefined;
}

/** Packs the checkout around a folder and stores it. Nothing when the folder is in no repository. */
export async function sendWorkspace(
  database: Database,
  cwd: string,
  { maxBytes, remotes }: TravelOptions,
): Promise<RunWorkspace | undefined> {
  const found = await runGit(cwd, ['rev-parse', '--show-toplevel']);
  if (found.code !== 0) return undefined;
  const top = found.out.trim();
  const isUnborn = (await runGit(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD'])).code !== 0;
  if (isUnborn)
    throw errors.create('FLEET_REQUEST', {
      reason: 'the repository has no commit yet',
      next: 'Commit something first.',
    });
  const isShallow = (await git(top, ['rev-parse', '--is-shallow-repository'])).text === 'true';
  const base = await commitOf(top, { withHistory: !isShallow });
  await git(top, ['update-ref', `${KEPT}/${base}`, base]);
  const origin = (await runGit(top, ['remote', 'get-url', 'origin'])).out.trim();
  const isFetched = !isShallow && remoteProblem(origin, remotes) === undefined;
  const remote = isFetched ? await sharedCommit(top, base, origin) : undefined;
  const workspace: RunWorkspace = {
    base,
    below: relative(realpathSync(top), realpathSync(cwd)),
    repository: nameOf(origin, top),
    ...(remote && { remote: JSON.stringify(remote) }),
  };
  const id = bundleIdOf(workspace);
  if (!(await isStored(database, id))) {
    const bytes = await bundleOf(top, base, remote?.commit);
    if (bytes.length > maxBytes)
      throw errors.create('FLEET_REQUEST', {
        reason: `its repository is ${Math.ceil(bytes.length / 1_048_576)} MB as a bundle`,
        next: 'Raise the setting `fleet.maxBundleMegabytes`, or let hosts fetch from the remote: `fleet.workspaces: remote`.',
      });
    await store(database, id, bytes);
  }
  return workspace;
}

/** A commit that the remote has, as far as this clone knows, and the way to it; addresses with passwords do not travel. */
async function sharedCommit(top: string, base: string, origin: string): Promise<Remote | undefined> {
  const isPlain = /^(?:https|ssh|git|file):\/\/[^@/]*(?:git@)?[^@]*$/.test(origin) || /^git@[\w.-]+:/.test(origin);
  if (!isPlain) return undefined;
  const heads = await runGit(top, ['for-each-ref', '--format=%(objectname)', 'refs/remotes/origin']);
  for (const tip of new Set(heads.out.split('\n').filter(Boolean))) {
    const found = await runGit(top, ['merge-base', base, tip]);
    if (found.code === 0) return { url: origin, commit: found.out.trim() };
  }
  return undefined;
}

function nameOf(origin: string, top: string): string {
  const name = basename(origin === '' ? top : origin.replace(/[/\\]+$/, '')).replace(/\.git$/, '');
  return name.replace(/^.*:/, '') || basename(top);
}

async function bundleOf(folder: string, commit: string, without: string | undefined): Promise<Buffer> {
  if (commit === without) return Buffer.alloc(0);
  await git(folder, ['update-ref', `${KEPT}/${commit}`, commit]);
  const except = without === undefined ? [] : [`^${without}`];
  return (await git(folder, ['bundle', 'create', '--quiet', '-', `${KEPT}/${commit}`, ...except])).bytes;
}

async function isStored(database: Database, id: string): Promise<boolean> {
  return (await database.rows(`SELECT FROM ${SCHEMA}.bundle WHERE id = $1 AND part = 0`, [id])).length > 0;
}

/** In parts, so that no statement takes long on a slow line. */
async function store(database: Database, id: string, bytes: Buffer): Promise<void> {
  await database.transaction(async (sql) => {
    for (let part = 0; part === 0 || part * PART < bytes.length; part++)
      await sql.rows(`INSERT INTO ${SCHEMA}.bundle (id, part, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [
        id,
        part,
        bytes.subarray(part * PART, (part + 1) * PART),
      ]);
  });
}

async function load(database: Database, id: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (;;) {
    const [row] = await database.rows<{ bytes: Buffer }>(
      `SELECT bytes FROM ${SCHEMA}.bundle WHERE id = $1 AND part = $2`,
      [id, parts.length],
    );
    if (row === undefined) break;
    parts.push(row.bytes);
  }
  if (parts.length === 0) throw errors.create('FLEET_BUNDLE', { reason: 'the database does not have it any more' });
  return Buffer.concat(parts);
}

/** Fetches a bundle into a repository; its commit must be the one that is expected. */
async function receive(folder: string, bytes: Buffer, commit: string, keepAs: string): Promise<void> {
  if (bytes.length > 0)
    await withScratch(async (scratch) => {
      const file = join(scratch, 'carried.bundle');
      await writeFile(file, bytes, { mode: 0o600 });
      const settings = [['fetch.fsckObjects', 'true']] as const;
      await git(
        folder,
        ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', file, `+${KEPT}/${commit}:${keepAs}`],
        {
          protocols: 'file',
          settings,
        },
      );
    });
  else await git(folder, ['update-ref', keepAs, commit]);
  const got = (await git(folder, ['rev-parse', `${keepAs}^{commit}`])).text;
  if (got !== commit) throw errors.create('FLEET_BUNDLE', { reason: `it holds ${got} instead of ${commit}` });
}

/** Makes the checkout of a run on its host: from the workspace, and from the work that it has already done. */
export async function makeCheckout(
  database: Database,
  run: Run,
  folder: string,
  remotes?: RemotePolicy,
): Promise<void> {
  const { workspace } = run.request;
  if (workspace === undefined) return;
  await git(folder, ['init', '--quiet', '--template=', '.']);
  const { base } = workspace;
  const remote = remoteOf(workspace);
  const problem = remote && remoteProblem(remote.url, remotes);
  if (problem !== undefined) throw errors.create('FLEET_BUNDLE', { reason: problem });
  if (remote) await fetchRemote(folder, remote);
  await receive(folder, await load(database, bundleIdOf(workspace)), base, 'refs/tenon/base');
  if (run.work !== undefined)
    await receive(folder, await load(database, workIdOf(base, run.work)), run.work, 'refs/tenon/work');
  await git(folder, ['checkout', '--quiet', '--force', '-B', `tenon/${run.alias}`, run.work ?? base]);
}

async function fetchRemote(folder: string, { url, commit }: Remote): Promise<void> {
  // The address came over the database: nothing that would run a program.
  const env = { GIT_ALLOW_PROTOCOL: url.startsWith('file:') ? 'file' : 'https:ssh:git' };
  await git(folder, ['fetch', '--quiet', '--no-tags', '--', url, `+${commit}:refs/tenon/remote`], { env });
}

/** Stores what a run has changed since its workspace. Gives the commit; nothing when it has changed nothing. */
export async function keepWork(
  database: Database,
  { base, folder, maxBytes }: { readonly base: string; readonly folder: string; readonly maxBytes: number },
): Promise<string | undefined> {
  const commit = await commitOf(folder, { withHistory: true });
  if (commit === base) return undefined;
  const id = workIdOf(base, commit);
  if (await isStored(database, id)) return commit;
  const bytes = await bundleOf(folder, commit, base);
  if (bytes.length > maxBytes)
    throw errors.create('FLEET_BUNDLE', { reason: `it is ${Math.ceil(bytes.length / 1_048_576)} MB` });
  await store(database, id, bytes);
  return commit;
}

/** Brings the work of a run into the repository that it came from. Its branches and files stay as they are. */
export async function fetchWork(database: Database, { id, work, request }: Run): Promise<string | undefined> {
  if (work === undefined || request.workspace === undefined) return undefined;
  const top = (await git(request.cwd, ['rev-parse', '--show-toplevel'])).text;
  await receive(top, await load(database, workIdOf(request.workspace.base, work)), work, `${KEPT}/${id}`);
  return work;
}
