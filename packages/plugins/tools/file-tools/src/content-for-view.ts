import { readFile, stat } from 'node:fs/promises';

/** Larger files are not kept for edits to compare with. */
const MAX_VIEW_BYTES = 4 * 1024 * 1024;

/** A found file's content, when it is small enough to be kept as a view. It may have vanished since it was found. */
export async function contentForView(path: string, signal: AbortSignal): Promise<Buffer | undefined> {
  try {
    const { size } = await stat(path);
    return size <= MAX_VIEW_BYTES ? await readFile(path, { signal }) : undefined;
  } catch (fault) {
    signal.throwIfAborted();
    if ((fault as NodeJS.ErrnoException).code === undefined) throw fault;
    return undefined;
  }
}
