/** The service over the kinds of archives. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import { makeFolders, stageFile, withFilesLocked } from '@tenon/state-files';
import type { Archive, Archives } from '../api.ts';
import { errorCode } from '../error-code.ts';
import { errors } from '../errors.ts';
import { kindOf } from '../kinds.ts';
import { type ByteSource, fileSource, memorySource } from './byte-source.ts';
import { nameForEntry } from './names.ts';
import { gunzippedHead, openGzip, openTar, tarWith } from './tar.ts';
import { openZip, zipWith } from './zip.ts';

type Kind = 'zip' | 'tar' | 'tgz' | 'gz';

/** Makes the service. */
export function createArchives(): Archives {
  return {
    async open(given, { signal }): Promise<Archive> {
      const source = typeof given === 'string' ? await fileSource(given) : memorySource(given);
      try {
        const kind = await archiveKind(source, signal);
        if (kind === 'zip') return await openZip(source);
        if (kind === 'gz')
          return await openGzip(source, typeof given === 'string' ? basename(given, '.gz') : 'content');
        return await openTar(source, kind === 'tgz', signal);
      } catch (fault) {
        await source.close();
        throw fault;
      }
    },
    put(file, entry, { signal }) {
      // Two processes that each add a file would otherwise copy the same archive, and one of the files would be lost.
      return withFilesLocked([file], () => put(file, entry, signal), { signal });
    },
  };
}

async function put(
  file: string,
  { name, content }: { readonly name: string; readonly content: Uint8Array },
  signal: AbortSignal,
): Promise<{ created: boolean }> {
  const added = { name: nameForEntry(name), content };
  const target = await realpath(file).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return undefined;
    throw fault;
  });
  if (target === undefined) {
    const kind = kindByName(file);
    await makeFolders(dirname(file));
    await replaceFile(file, 0o644, piecesWith(undefined, kind, added, signal));
    return { created: true };
  }
  const before = await stat(target);
  const source = await fileSource(target);
  try {
    const kind = await archiveKind(source, signal);
    if (kind === 'gz') throw errors.create('DOCUMENTS_ARCHIVE_WRITE', { file, reason: 'it is one packed file' });
    const isStill = async () => {
      const { size, mtimeMs, ino } = await stat(target);
      return size === before.size && mtimeMs === before.mtimeMs && ino === before.ino;
    };
    await replaceFile(target, before.mode & 0o7777, piecesWith(source, kind, added, signal), isStill);
  } finally {
    await source.close();
  }
  return { created: false };
}

function piecesWith(
  source: ByteSource | undefined,
  kind: Kind,
  added: { readonly name: string; readonly content: Uint8Array },
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  return kind === 'zip' ? zipWith(source, added, signal) : tarWith(source, kind === 'tgz', added, signal);
}

async function archiveKind(source: ByteSource, signal: AbortSignal): Promise<Kind> {
  const kind = kindOf('', await source.read(0, 64 * 1024));
  if (kind === 'tar') return 'tar';
  if (kind === 'gzip') return kindOf('', await gunzippedHead(source, signal)) === 'tar' ? 'tgz' : 'gz';
  // Whatever else is a zip file inside, such as documents, can be opened as one too.
  const mark = (await source.read(0, 4)).toString('latin1');
  if (mark.startsWith('PK')) return 'zip';
  throw errors.create('DOCUMENTS_ARCHIVE', { reason: 'it is neither zip nor tar nor tar.gz' });
}

function kindByName(file: string): Kind {
  if (/\.(?:tgz|tar\.gz)$/i.test(file)) return 'tgz';
  if (/\.tar$/i.test(file)) return 'tar';
  if (/\.zip$/i.test(file)) return 'zip';
  throw errors.create('DOCUMENTS_ARCHIVE_WRITE', {
    file,
    reason: 'it does not exist and its name is not that of a zip or tar',
  });
}

/** Writes beside the file and takes its place in one step, so that nobody ever sees half an archive. */
async function replaceFile(
  path: string,
  mode: number,
  pieces: AsyncIterable<Buffer>,
  isStill: () => Promise<boolean> = async () => true,
): Promise<void> {
  const refuse = (reason: string, cause?: unknown) =>
    errors.create('DOCUMENTS_ARCHIVE_WRITE', { file: path, reason }, cause);
  try {
    const staged = await stageFile(path, pieces, { mode, exact: true });
    if (await isStill()) return await staged.commit();
    await staged.discard();
    throw refuse('somebody else changed it at the same moment');
  } catch (fault) {
    const isExpected = fault instanceof TenonError || errorCode(fault) === '';
    throw isExpected ? fault : refuse(messageOf(fault), fault);
  }
}
