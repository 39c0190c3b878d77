/** What a call would change in files, for the question about it. */
import { resolve } from 'node:path';
import type { EditPreview, FileViews } from '@tenon/file-tools/api';
import type { ApprovalQuestion } from '@tenon/host';
import { onDisk } from './editor-files.ts';
import type { ChangedFile } from './tool-calls.ts';

type Question = Pick<ApprovalQuestion, 'tool' | 'input' | 'folder' | 'session'>;

/** Where the changes are found. */
export interface PlanParts {
  readonly views: Pick<FileViews, 'editor'>;
  editPreview(): Promise<EditPreview | undefined>;
}

/** Makes the function that finds the changes of a call. Calls that change no files have none. */
export function plannedChanges({
  editPreview,
  views,
}: PlanParts): (question: Question) => Promise<readonly ChangedFile[]> {
  return async ({ tool, input, folder, session = 'by-hand' }) => {
    if (tool === 'write') return written(views, session, input, folder);
    if (tool !== 'edit' && tool !== 'apply_patch') return [];
    const preview = await (await editPreview())?.preview(JSON.stringify(input), { session, cwd: folder });
    return (preview?.files ?? []).map(({ resolvedPath, before, after }) => ({ path: resolvedPath, before, after }));
  };
}

async function written(
  { editor }: PlanParts['views'],
  session: string,
  { path, content }: Question['input'],
  folder: string,
): Promise<readonly ChangedFile[]> {
  // Behind a colon there can be something inside of an archive or a database, or an address.
  if (typeof path !== 'string' || typeof content !== 'string' || path.includes(':')) return [];
  const place = resolve(folder, path);
  const unsaved = await editor?.unsaved(session, place, new AbortController().signal);
  return [{ path: place, before: unsaved ?? (await onDisk(place)), after: Buffer.from(content) }];
}
