/** Opens files for a mode: where they are, what they hold, what the session has seen of them. */
import { readFile, stat } from 'node:fs/promises';
import type { EditCall, EditFile } from '../api.ts';
import { errors } from '../errors.ts';
import type { FileToolsHost } from '../host.ts';
import { displayPath, resolvePath } from '@tenon/tools/api';
import { destinationOf } from '../write/destination.ts';
import type { DeclaredFiles } from './declared-files.ts';
import { generatedMark } from './generated-file.ts';
import { asCells, storedContent } from './notebook-file.ts';

/** Files above this size are not edited by text tools. */
const MAX_EDIT_BYTES = 256 * 1024 * 1024;

/** What opening files needs. */
export type EditCallHost = Pick<FileToolsHost, 'config' | 'views' | 'documents'>;

/** Where an edit belongs, and which files it may open. */
export interface EditPlace {
  readonly session: string;
  readonly cwd: string;
  /** There is no session that could have seen anything. */
  readonly byHand: boolean;
  readonly files: Pick<DeclaredFiles, 'mayOpen'>;
  /** What an editor has not saved, where it cannot be saved first: for previews. */
  unsaved?(path: string): Promise<Uint8Array | undefined>;
}

/** Makes what a mode gets. */
export function createEditCall(host: EditCallHost, place: EditPlace): EditCall {
  const { session, cwd, files } = place;
  const opened = new Map<string, Promise<EditFile>>();
  return {
    session,
    cwd,
    async file(given) {
      await refuseElsewhere(given, cwd);
      const path = resolvePath(cwd, given);
      files.mayOpen(path);
      const known = opened.get(path) ?? open(host, place, path, displayPath(cwd, path));
      opened.set(path, known);
      return known;
    },
    shown(file) {
      const { path } = file;
      files.mayOpen(path);
      const content = storedContent(file);
      if (content) host.views.record(session, path, content);
      host.views.settle(session, path);
    },
  };
}

async function open(
  host: EditCallHost,
  { session, byHand, ...place }: EditPlace,
  path: string,
  shownPath: string,
): Promise<EditFile> {
  const content = (await place.unsaved?.(path)) ?? (await load(path, shownPath));
  const mark = generatedMark(path, content);
  if (mark !== undefined && host.config.edit.generatedFiles === 'refuse') {
    throw errors.create('FILE_TOOLS_GENERATED', { path: shownPath, mark });
  }
  const seen = host.views.history(session, path);
  return asCells({ path, shownPath, content, seen: byHand && content ? [content] : seen }, host.documents);
}

/** The same reading of a path as for write: what is no file of its own must not become one of that name. */
async function refuseElsewhere(given: string, cwd: string): Promise<void> {
  const destination = await destinationOf(given, cwd);
  if (destination.kind === 'file') return;
  const [path, kind, how] =
    destination.kind === 'url'
      ? [destination.url, 'a URL', 'Write its whole content with write if its scheme allows that, or edit a file.']
      : destination.kind === 'archive'
        ? [given, 'inside of an archive', 'Read it and put its whole new content there with write.']
        : [given, 'inside of a database', 'Change rows with write: DB:TABLE:KEY and an object with the columns.'];
  throw errors.create('FILE_TOOLS_EDIT_ELSEWHERE', { path, kind, how });
}

async function load(path: string, shownPath: string): Promise<Buffer | undefined> {
  const stats = await stat(path).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT' || fault.code === 'ENOTDIR') return undefined;
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: shownPath, reason: fault.code ?? fault.message }, fault);
  });
  if (!stats) return undefined;
  if (stats.isDirectory()) throw errors.create('FILE_TOOLS_IS_DIRECTORY', { path: shownPath });
  if (!stats.isFile()) throw errors.create('FILE_TOOLS_NOT_REGULAR', { path: shownPath, kind: 'no regular file' });
  if (stats.size > MAX_EDIT_BYTES) {
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: shownPath, reason: 'it is too large to be edited as text' });
  }
  return await readFile(path).catch((fault: NodeJS.ErrnoException) => {
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: shownPath, reason: fault.code ?? fault.message }, fault);
  });
}
