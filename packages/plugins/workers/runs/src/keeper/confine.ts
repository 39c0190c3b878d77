/** The one place where a worker is put into the sandbox. */
import { existsSync, mkdirSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { type Confinement, UNCONFINED } from '@tenon/sandbox/api';
import type { WorkerSpec } from '@tenon/workers/api';
import type { RunsParts } from '../parts.ts';
import type { Run } from '../run.ts';

/** What a worker needs beside its working folder. */
export interface WorkerPlaces {
  readonly cwd: string;
  /** The file of its program. */
  readonly program?: string;
  /** Folders that it reads and writes: exchange, scratch, the account's. */
  readonly folders: readonly string[];
  /** Its own variables, which may move its state folders. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the sandbox needs for as long as the worker runs, also when this process is killed. */
  readonly lasting: string;
}

/** Makes the confinement of a worker. A run without a sandbox is a choice, which its record names. */
export async function confineWorker(
  { sandboxes, folders }: Pick<RunsParts, 'sandboxes' | 'folders'>,
  { request }: Pick<Run, 'request'>,
  spec: Pick<WorkerSpec, 'hosts' | 'state'>,
  places: WorkerPlaces,
): Promise<Confinement> {
  const service = await sandboxes();
  if (service === undefined) return UNCONFINED;
  if (request.sandbox === 'off') return service.wrap({ cwd: places.cwd, profile: 'full' });
  return service.wrap({
    cwd: places.cwd,
    // Every sandbox has a /tmp of its own; a program that lies there must be seen all the same.
    extraRead: places.program === undefined ? [] : [places.program],
    extraWrite: [...places.folders, ...statePlaces(spec, places.env, folders.home)],
    hosts: spec.hosts,
    lasting: places.lasting,
  });
}

/** Opens the way to the network again for a worker that outlived the process which had opened it. */
export async function confineAgain(
  parts: Pick<RunsParts, 'sandboxes' | 'folders'>,
  run: Pick<Run, 'request' | 'folder'>,
  spec: Pick<WorkerSpec, 'hosts' | 'state'>,
  lasting: string,
): Promise<Confinement | undefined> {
  if (run.request.sandbox === 'off' || !existsSync(lasting)) return undefined;
  return confineWorker(parts, run, spec, { cwd: run.folder, folders: [], env: {}, lasting });
}

/** The worker's own folders and files. Folders are made, because what is not there cannot be shown in a sandbox. */
function statePlaces({ state }: Pick<WorkerSpec, 'state'>, env: WorkerPlaces['env'], home: string): readonly string[] {
  return state.flatMap(({ path, variable }) => {
    const moved = variable === undefined ? undefined : env[variable];
    const place =
      moved !== undefined && isAbsolute(moved) ? moved : path.startsWith('~/') ? join(home, path.slice(2)) : path;
    if (!isAbsolute(place)) return [];
    const isFile = /[^.]\.\w+$/.test(basename(place));
    if (!existsSync(place) && !isFile) mkdirSync(place, { recursive: true, mode: 0o700 });
    return existsSync(place) ? [place] : [];
  });
}
