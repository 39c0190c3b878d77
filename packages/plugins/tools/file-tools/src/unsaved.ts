import type { FileViews } from './api.ts';

/** Lets the editor save a file that a tool is about to change, so that nothing of the user is lost. True when it did. */
export async function saveUnsaved(
  { editor }: Pick<FileViews, 'editor'>,
  session: string,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  const unsaved = await editor?.unsaved(session, path, signal);
  if (unsaved === undefined) return false;
  await editor?.save(session, path, unsaved);
  return true;
}
