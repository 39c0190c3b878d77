/** Files on this machine, shown in the way that suits what is in them. */
import type { Stats } from 'node:fs';
import { kindOf } from '@tenon/documents/api';
import { TenonError } from '@tenon/kernel';
import type { ToolResult } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import { byteText } from '@tenon/wording';
import { archiveView } from './archive-view.ts';
import { databaseView } from './database/view.ts';
import type { createDocumentCache } from './document-cache.ts';
import { fileChunks, isBinary, readHead, readWhole, refuseSpecial } from './file-bytes.ts';
import { displayOf, documentResult, documentText, imageResult } from './present.ts';
import type { Reading, Subject } from './reading.ts';
import { MAX_MEMORY_BYTES, streamResultOf, textResultOf } from './text-result.ts';

const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Shows a file that is no folder. `inner` is what stands behind an archive or a database. */
export async function fileView(
  reading: Reading,
  subject: Subject,
  file: { readonly path: string; readonly stats: Stats; readonly inner: string },
  cache: ReturnType<typeof createDocumentCache>,
): Promise<ToolResult> {
  const { path, stats, inner } = file;
  const { shownPath, selector } = subject;
  refuseSpecial(stats, shownPath);
  const head = await readHead(path, stats);
  const kind = kindOf(path, head);
  const isZipInside = head[0] === 0x50 && head[1] === 0x4b;
  // A document that is a zip file can be looked into as one.
  const display = inner !== '' && isZipInside ? 'archive' : displayOf(kind, selector.raw);
  if (display === 'archive') return archiveView(reading, subject, path, inner);
  if (display === 'database') return databaseView(reading, subject, path, inner);
  if (inner !== '') throw errors.create('FILE_TOOLS_SUFFIX', { suffix: inner.slice(1), path: shownPath });
  if (display === 'image') {
    if (stats.size > MAX_IMAGE_BYTES) {
      throw errors.create('FILE_TOOLS_IMAGE_TOO_LARGE', { path: shownPath, size: byteText(stats.size) });
    }
    return imageResult(reading, subject, await readWhole(path, stats, { signal: reading.signal, head }));
  }
  if (display === 'document' && stats.size <= MAX_DOCUMENT_BYTES) {
    const convert = async () =>
      documentText(reading, await readWhole(path, stats, { signal: reading.signal, head }), { name: path });
    const isEditable = kind === 'notebook' && (await isNotebookOfCells(reading, subject, file, head));
    return documentResult(reading, subject, () => cache.get(path, stats, convert), { isEditable });
  }
  if (display === 'document' || isBinary(head)) {
    throw errors.create('FILE_TOOLS_BINARY', { path: shownPath, size: byteText(stats.size) });
  }
  return textFile(reading, subject, { ...file, head, isEditable: kind !== 'notebook' });
}

/** Notebooks are edited as their cells, so those get the anchors. The view of them is the file itself. */
async function isNotebookOfCells(
  { host, scope, signal }: Reading,
  { shownPath }: Subject,
  { path, stats }: { readonly path: string; readonly stats: Stats },
  head: Buffer,
): Promise<boolean> {
  const content = await readWhole(path, stats, { signal, head });
  try {
    await (await host.documents()).cells(content, shownPath);
  } catch (fault) {
    // It can be read, but not be written back from its text.
    if (fault instanceof TenonError) return false;
    throw fault;
  }
  host.views.record(scope.session, path, content);
  return true;
}

async function textFile(
  reading: Reading,
  subject: Subject,
  {
    path,
    stats,
    head,
    isEditable,
  }: { readonly path: string; readonly stats: Stats; readonly head: Buffer; readonly isEditable: boolean },
): Promise<ToolResult> {
  const { host, scope, signal } = reading;
  if (stats.size > MAX_MEMORY_BYTES) {
    const chunks = fileChunks(path, stats, signal);
    return streamResultOf(reading, subject, chunks, { bytes: stats.size, isEditable });
  }
  const unsaved = await host.views.editor?.unsaved(scope.session, path, signal);
  const content = unsaved ? Buffer.from(unsaved) : await readWhole(path, stats, { signal, head });
  host.views.record(scope.session, path, content);
  return textResultOf(reading, subject, content, { isEditable, ...(isEditable && { outlineAs: path }) });
}
