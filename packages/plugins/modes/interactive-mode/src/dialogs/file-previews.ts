/** What a call would change in files, for the question about it. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ApprovalQuestion } from '@tenon/host';
import type { PluginContext } from '@tenon/kernel';
import type { FilePreview } from './approval-rows.ts';

/** Larger files are not compared: the question must not wait. */
const MOST_BYTES = 1024 * 1024;

/** Makes the function that finds the changes of a call. Calls that change no files have none. */
export function createFilePreviews(
  ctx: Pick<PluginContext, 'findOptional'>,
): (question: ApprovalQuestion) => Promise<readonly FilePreview[]> {
  return async ({ tool, input, folder, session = 'by-hand' }) => {
    if (tool === 'write') return written(input, folder);
    if (tool !== 'edit' && tool !== 'apply_patch') return [];
    const { editPreview } = await import('@tenon/file-tools/api');
    const service = await ctx.findOptional(editPreview);
    const preview = await service?.preview(JSON.stringify(input), { session, cwd: folder });
    return (preview?.files ?? []).flatMap(({ path, diff }) => (diff === undefined ? [] : [{ path, diff }]));
  };
}

async function written(input: ApprovalQuestion['input'], folder: string): Promise<readonly FilePreview[]> {
  const { path, content } = input;
  if (typeof path !== 'string' || typeof content !== 'string' || content.length > MOST_BYTES) return [];
  const before = await textOf(resolve(folder, path));
  return before === undefined ? [] : [{ path, before, after: content }];
}

/** The text of a file; undefined when there is none to compare with. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MOST_BYTES ? await readFile(path, 'utf8') : undefined;
  } catch (fault) {
    // A new file, or a place in an archive or a database: the whole content is shown anyway.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((fault as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw fault;
  }
}
