/** What the user decided about folders: one file, changed under a lock and replaced as a whole. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { TrustRecord, TrustState } from './api.ts';
import { errors } from './errors.ts';
import { triggersBelow, triggersUpTo } from './trigger-files.ts';

const VERSION = 1;

type Folders = Readonly<Record<string, Omit<TrustRecord, 'folder'>>>;

/** The file in which the decisions are. */
export function trustFile(dataFolder: string): string {
  return join(dataFolder, 'trust.json');
}

/** The folder without symbolic links; an error that says so when it is none. */
export async function realFolder(folder: string): Promise<string> {
  const path = await realpath(folder).catch(() => undefined);
  if (path === undefined || !(await stat(path)).isDirectory()) throw errors.create('TRUST_NO_FOLDER', { folder });
  return path;
}

/** Reads all decisions. A damaged file is an error: treating it as empty would forget what was refused. */
export async function readTrust(file: string): Promise<readonly TrustRecord[]> {
  return Object.entries(await readFolders(file)).map(([folder, record]) => ({ folder, ...record }));
}

async function readFolders(file: string): Promise<Folders> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw errors.create('TRUST_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
  try {
    const content = JSON.parse(text) as { version?: unknown; folders?: unknown };
    if (content.version !== VERSION) throw new Error(`its version is ${String(content.version)}, not ${VERSION}`);
    if (typeof content.folders !== 'object' || content.folders === null) throw new Error('it has no "folders"');
    for (const [folder, record] of Object.entries(content.folders as Folders)) {
      if (!['trusted', 'untrusted'].includes(record?.state)) throw new Error(`"${folder}" has no known state`);
    }
    return content.folders as Folders;
  } catch (fault) {
    throw errors.create('TRUST_RECORD_INVALID', { file, reason: messageOf(fault) }, fault);
  }
}

/** The decision that covers a real path: its own, or that of the nearest folder above. */
export function coveringRecord(records: readonly TrustRecord[], path: string): TrustRecord | undefined {
  return records
    .filter(({ folder }) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    .reduce<TrustRecord | undefined>(
      (nearest, record) => (nearest === undefined || record.folder.length > nearest.folder.length ? record : nearest),
      undefined,
    );
}

/**
 * What has appeared since a folder was trusted, in it and on the way from there down to `path`, as seen from that folder. A
 * program in a sandbox cannot change what was there, but it can make what was not; without a new question Tenon would run
 * that outside of the sandbox on its next start.
 */
export async function newTriggers(
  { folder, state, saw }: TrustRecord,
  path: string,
  names: readonly string[],
): Promise<readonly string[]> {
  if (state !== 'trusted') return [];
  const found = await triggersUpTo(folder, path, names);
  // The oldest records do not say what they saw: there, only what lies in folders below counts as new.
  if (saw === undefined) return found.filter((name) => !names.includes(name));
  return found.filter((name) => !saw.includes(name));
}

/**
 * Records a decision; `undefined` forgets one. Decisions about folders below stay. `names` are the triggers to look for. With `shown`, only that is seen beside what
 * was seen already: whoever answers a question about some new files has not agreed to others.
 */
export async function decide(
  file: string,
  folder: string,
  state: Exclude<TrustState, 'unknown'> | undefined,
  triggers: { readonly names: readonly string[]; readonly shown?: readonly string[] | undefined },
): Promise<TrustRecord | undefined> {
  // Bundled, a CommonJS package has its exports under `default` only.
  const imported = await import('proper-lockfile');
  const { lock } = imported.default ?? imported;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const retries = { retries: 100, factor: 1.2, minTimeout: 5, maxTimeout: 100, randomize: true };
  const release = await lock(file, { realpath: false, retries }).catch((fault: unknown) => {
    throw errors.create('TRUST_LOCKED', { file }, fault);
  });
  try {
    const { [folder]: old, ...others } = await readFolders(file);
    const since = old?.state === state && old ? old.since : new Date().toISOString();
    const record = state && { state, since, ...(state === 'trusted' && { saw: await seenNow(folder, old, triggers) }) };
    const folders = record ? { ...others, [folder]: record } : others;
    await replaceFile(file, `${JSON.stringify({ version: VERSION, folders }, null, 2)}\n`);
    return record && { folder, ...record };
  } finally {
    await release();
  }
}

async function seenNow(
  folder: string,
  old: Pick<TrustRecord, 'state' | 'saw'> | undefined,
  { names, shown }: Parameters<typeof decide>[3],
): Promise<string[]> {
  if (shown === undefined || old?.state !== 'trusted') return triggersBelow(folder, names);
  return [...new Set([...(old.saw ?? (await triggersUpTo(folder, folder, names))), ...shown])];
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await chmod(temporary, 0o600);
    await rename(temporary, file);
  } catch (fault) {
    await rm(temporary, { force: true });
    throw fault;
  }
}
