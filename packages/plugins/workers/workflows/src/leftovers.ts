/** What a command has left that was started by a process which was killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hostname } from 'node:os';
import { isAlive, type ProcessMark } from '@tenon/state-files';

const LOOK_MS = 20;
const LOOKS = 100;

/** Ends a command and the group that it leads, if it is still there. Process ids are reused: its start time must be the same. */
export async function endLeftovers(mark: ProcessMark | undefined): Promise<void> {
  if (mark === undefined || mark.host !== hostname() || mark.started === '') return;
  for (let look = 0; look < LOOKS && isAlive(mark); look += 1) {
    try {
      process.kill(-mark.pid, 'SIGKILL');
    } catch {
      return; // It has ended in this moment.
    }
    await sleep(LOOK_MS);
  }
}
