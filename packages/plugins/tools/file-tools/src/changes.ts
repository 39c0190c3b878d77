/** Changes files on disk: whole files, all of a call's or none, byte for byte what was planned. */
import { constants } from 'node:fs';
import { access, lstat, readFile, readlink, realpath, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { makeFolders, type Staged as StagedContent, stageFile, withFilesLocked } from '@tenon/state-files';
import type { FileChange, FileChanges, FileViews } from './api.ts';
import { errors } from './errors.ts';

/** What changing files needs to tell others. */
export interface ChangesHost {
  readonly views: FileViews;
  /** Drops cached scans that could show the path. */
  invalidate(path: string): Promise<void>;
}

/** A change that lies ready beside the file. */
interface Staged extends StagedContent {
  readonly path: string;
  /** Brings back what was there before the commit. */
  undo(): Promise<void>;
}

/** Makes the service that changes files. */
export function createChanges(host: ChangesHost): FileChanges {
  /** An editor that finds a file changed on disk asks its user, or warns: what it shows it writes itself. */
  const inEditor = async (session: string, { path, after, modeFrom }: FileChange): Promise<boolean> => {
    if (after === undefined || modeFrom !== undefined) return false;
    return (await host.views.editor?.write(session, path, whole(after))) === true;
  };

  return {
    async apply(session, changes) {
      // Between the look at what is there and the rename nobody else may write, or one of two changes would be lost.
      const files = changes.map(({ path }) => path);
      await withFilesLocked(files, async () =>
        commitAll(await stageAll(changes), (change) => inEditor(session, change)),
      );
      for (const { path, after } of changes) {
        if (after) host.views.record(session, path, whole(after));
        await host.invalidate(path);
      }
    },
  };
}

type StagedChange = Staged & { readonly change: FileChange };

async function stageAll(changes: readonly FileChange[]): Promise<StagedChange[]> {
  const staged: StagedChange[] = [];
  try {
    for (const change of changes) staged.push({ ...(await stage(change)), change });
  } catch (fault) {
    await Promise.all(staged.map((file) => file.discard()));
    throw fault;
  }
  return staged;
}

async function commitAll(
  staged: readonly StagedChange[],
  isWritten: (change: FileChange) => Promise<boolean>,
): Promise<void> {
  const done: Staged[] = [];
  for (const file of staged) {
    try {
      if (await isWritten(file.change)) await file.discard();
      else await file.commit();
      done.push(file);
    } catch (fault) {
      const left = await undoAll(done, staged.slice(done.length));
      const undone = left.length === 0 ? 'Nothing was changed.' : `Could not be brought back: ${left.join(', ')}.`;
      throw errors.create('FILE_TOOLS_WRITE_FAILED', { path: file.path, reason: messageOf(fault), undone }, fault);
    }
  }
}

/** Gives the files that keep the new content. */
async function undoAll(done: readonly Staged[], pending: readonly Staged[]): Promise<string[]> {
  await Promise.all(pending.map((file) => file.discard()));
  const outcomes = await Promise.allSettled(done.map((file) => file.undo()));
  return done.filter((_, index) => outcomes[index]?.status === 'rejected').map(({ path }) => path);
}

async function stage({ path, before, after, modeFrom }: FileChange): Promise<Staged> {
  const current = await readCurrent(path);
  if (current === undefined) await refuseDangling(path);
  if (before !== 'any' && current === undefined && before !== undefined) {
    throw errors.create('FILE_TOOLS_CHANGED_MEANWHILE', { path });
  }
  if (current !== undefined && before === undefined) throw errors.create('FILE_TOOLS_EXISTS', { path });
  if (current && before !== 'any' && before && !current.equals(before)) {
    throw errors.create('FILE_TOOLS_CHANGED_MEANWHILE', { path });
  }
  try {
    if (after === undefined) return await stageDeletion(path, current);
    if (current !== undefined) return await stageOver(path, current, pieces(after));
    return await stageNew(path, pieces(after), modeFrom === undefined ? 0o666 : (await stat(modeFrom)).mode & 0o7777);
  } catch (fault) {
    const details = { path, reason: messageOf(fault), undone: 'Nothing was changed.' };
    throw errors.create('FILE_TOOLS_WRITE_FAILED', details, fault);
  }
}

async function readCurrent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EISDIR') throw errors.create('FILE_TOOLS_IS_DIRECTORY', { path }, fault);
    throw errors.create('FILE_TOOLS_UNREADABLE', { path, reason: messageOf(fault) }, fault);
  }
}

/** A file in place of the link is hardly meant, and where the link leads was not judged. */
async function refuseDangling(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined); // Nothing there, or nothing that can be looked at: writing it tells.
  if (!stats?.isSymbolicLink()) return;
  throw errors.create('FILE_TOOLS_DANGLING', { path, target: resolve(dirname(path), await readlink(path)) });
}

/** A link goes, what it points to stays: that is what deleting a name means. */
async function stageDeletion(path: string, current: Buffer | undefined): Promise<Staged> {
  if (current === undefined) return { path, commit: async () => {}, undo: async () => {}, discard: async () => {} };
  const stats = await lstat(path);
  const target = stats.isSymbolicLink() ? await readlink(path) : undefined;
  await access(dirname(path), constants.W_OK);
  return {
    path,
    commit: () => unlink(path),
    undo: () =>
      target === undefined ? writeFile(path, current, { mode: stats.mode & 0o7777 }) : symlink(target, path),
    discard: async () => undefined,
  };
}

async function stageNew(path: string, content: readonly Uint8Array[], mode: number): Promise<Staged> {
  await makeFolders(dirname(path));
  // A new file gets the mode that the umask leaves; one that takes over from another file gets that one's.
  const staged = await stageFile(path, content, { mode, exact: mode !== 0o666, flush: false });
  return { path, ...staged, undo: () => unlink(path) };
}

async function stageOver(path: string, current: Buffer, content: readonly Uint8Array[]): Promise<Staged> {
  // The file behind a link is changed, the link stays.
  const real = await realpath(path);
  await access(real, constants.W_OK);
  const { mode, nlink } = await stat(real);
  const undo = () => writeFile(real, current);
  // A new file under the old name would part it from its other names.
  if (nlink > 1)
    return {
      path,
      commit: () => writeFile(real, Buffer.concat(content)),
      undo,
      discard: async () => undefined,
    };
  return { path, ...(await stageFile(real, content, { mode: mode & 0o7777, exact: true, flush: false })), undo };
}

function pieces(content: NonNullable<FileChange['after']>): readonly Uint8Array[] {
  return content instanceof Uint8Array ? [content] : content;
}

function whole(content: NonNullable<FileChange['after']>): Uint8Array {
  return content instanceof Uint8Array ? content : Buffer.concat(content);
}
