/** Takes the session of a subagent out of its home, which the subagent could write to: whatever lies there may be a trap. */
import { constants } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const MAX_SESSION = 256 * 1024 * 1024;

/** Copies it. Only a file counts: a link would lead to files of the user, and a pipe would never end. */
export async function keepSession(from: string, to: string): Promise<void> {
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (fault: NodeJS.ErrnoException) => {
      // It ended before it had said anything.
      if (fault.code === 'ENOENT') return undefined;
      throw fault;
    },
  );
  if (!file) return;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > MAX_SESSION)
      throw new Error(`it has ${stats.size} bytes, more than the ${MAX_SESSION} that are kept`);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    // Nobody writes to it any more, but it is looked at no further than it was measured.
    await writeFile(to, stats.size === 0 ? '' : file.createReadStream({ end: stats.size - 1, autoClose: false }), {
      mode: 0o600,
    });
  } finally {
    await file.close();
  }
}
