/** Keys of nodes: of those with the same one, of all workflows on this machine, one runs at a time. */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { TenonError } from '@tenon/kernel';
import { withLock } from '@tenon/state-files';

/** Lets go of a key. */
export type Release = () => void;

/** Takes a key if nobody has it. `folder` is that of a workflow; whoever was killed holds nothing. */
export async function takeKey(folder: string, key: string): Promise<Release | undefined> {
  const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return new Promise((resolve, reject) => {
    const held = () => new Promise<void>((release) => resolve(() => release()));
    withLock(join(dirname(folder), '.keys', name), held, { waitMs: 0 }).catch((fault: unknown) => {
      if (fault instanceof TenonError && fault.code === 'STATE_FILE_LOCKED') resolve(undefined);
      else reject(fault);
    });
  });
}
