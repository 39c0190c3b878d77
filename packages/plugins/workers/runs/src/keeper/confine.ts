/** The one place where a worker is put into the sandbox. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { isInside, programPlaces } from '@tenon/host';
import { type ClosedPath, type Confinement, UNCONFINED } from '@tenon/sandbox/api';
import type { WorkerSpec } from '@tenon/workers/api';
import type { RunsParts } from '../parts.ts';
import type { Run } from '../run.ts';

type StatePlace = WorkerSpec['state'][number];

/** Tenon's credentials, in its data folder. */
const VAULT = 'credentials.json';

/** What a worker needs beside its working folder. */
export interface WorkerPlaces {
  readonly cwd: string;
  /** The file of its program. */
  readonly program?: string;
  /** Folders that it reads and writes: exchange, scratch, the account's. */
  readonly folders: readonly string[];
  /** What it only reads: settings of the user's own CLI. */
  readonly reads?: readonly string[] | undefined;
  /** What it only reads of the folders above. */
  readonly closed?: readonly string[];
  /** Its own variables, which may move its state folders. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the sandbox needs for as long as the worker runs, also when this process is killed. */
  readonly lasting: string;
}

/** Makes the confinement of a worker. A run without a sandbox is a choice, which its record names. */
export async function confineWorker(
  parts: Pick<RunsParts, 'sandboxes' | 'folders' | 'accounts'>,
  { request }: Pick<Run, 'request'>,
  spec: Pick<WorkerSpec, 'hosts' | 'state' | 'projectFiles'>,
  places: WorkerPlaces,
): Promise<Confinement> {
  const service = await parts.sandboxes();
  if (service === undefined) return UNCONFINED;
  if (request.sandbox === 'off') return service.wrap({ cwd: places.cwd, profile: 'full' });
  const state = statePlaces(spec, places.env, parts.folders);
  // It holds the secrets of all accounts, not only Tenon's own logins.
  const vault = join(parts.folders.data, VAULT);
  const hasAccounts = ((await (await parts.accounts())?.list()) ?? []).length > 0;
  const read = state.filter(({ access, path }) => access === 'read' && !(hasAccounts && path === vault));
  return service.wrap({
    cwd: places.cwd,
    // Every sandbox has a /tmp of its own; a program that lies there must be seen all the same.
    extraRead: [
      ...(places.program === undefined ? [] : programPlaces(places.program)),
      ...(places.reads ?? []),
      ...read.map(pathOf),
    ],
    extraWrite: [...places.folders, ...state.filter(({ access }) => access !== 'read').map(pathOf)],
    closed: [...(places.closed ?? []).filter(existsSync).map((path) => ({ path })), ...closedOf(state, parts)],
    hosts: spec.hosts,
    unheld: spec.projectFiles,
    lasting: places.lasting,
  });
}

/** What a worker must not change of its own folders. */
function closedOf(state: readonly StatePlace[], { folders }: Pick<RunsParts, 'folders'>): readonly ClosedPath[] {
  const accounts = join(folders.state, 'accounts');
  // Those of an account are links, which are made anew for each run.
  return state.filter(({ access, path }) => access !== 'read' && !isInside(path, accounts)).flatMap(closedIn);
}

function closedIn({ path, closed = {} }: StatePlace): readonly ClosedPath[] {
  return Object.entries(closed).flatMap(([name, text]) => {
    const found = name.includes('*') ? namesLike(path, name) : [name];
    const paths = found.map((each) => join(path, each));
    if (text === false) return paths.filter((each) => existsSync(each)).map((each) => ({ path: each }));
    return paths.map((each) => ({ path: each, ...(text !== null && { text }) }));
  });
}

function namesLike(folder: string, pattern: string): readonly string[] {
  const [before = '', after = ''] = pattern.split('*');
  const isMeant = (name: string) => name.startsWith(before) && name.endsWith(after);
  return existsSync(folder) ? readdirSync(folder).filter(isMeant) : [];
}

/** Opens the way to the network again for a worker that outlived the process which had opened it. */
export async function confineAgain(
  parts: Pick<RunsParts, 'sandboxes' | 'folders' | 'accounts'>,
  run: Pick<Run, 'request' | 'folder'>,
  spec: Pick<WorkerSpec, 'hosts' | 'state' | 'projectFiles'>,
  lasting: string,
): Promise<Confinement | undefined> {
  if (run.request.sandbox === 'off' || !existsSync(lasting)) return undefined;
  return confineWorker(parts, run, spec, { cwd: run.folder, folders: [], env: {}, lasting });
}

/** The worker's own folders and files. Folders are made, because what is not there cannot be shown in a sandbox. */
function statePlaces(
  { state }: Pick<WorkerSpec, 'state'>,
  env: WorkerPlaces['env'],
  folders: RunsParts['folders'],
): readonly StatePlace[] {
  return state.flatMap((place) => {
    const moved = place.variable === undefined ? undefined : env[place.variable];
    const path = moved !== undefined && isAbsolute(moved) ? moved : wholePath(place.path, folders);
    if (!isAbsolute(path)) return [];
    const isFile = /[^.]\.\w+$/.test(basename(path));
    if (!existsSync(path) && !isFile && place.access !== 'read') mkdirSync(path, { recursive: true, mode: 0o700 });
    return existsSync(path) ? [{ ...place, path }] : [];
  });
}

function wholePath(path: string, { home, config, data }: RunsParts['folders']): string {
  const [first = '', ...rest] = path.split('/');
  const base = { '~': home, $config: config, $data: data }[first];
  return base === undefined ? path : join(base, ...rest);
}

const pathOf = ({ path }: StatePlace) => path;
