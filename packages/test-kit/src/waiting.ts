import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** A time limit in milliseconds, stretched by how many processes wait for each core. */
export function patientLimit(milliseconds: number): number {
  return milliseconds * Math.min(4, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));
}

/** Waits for a condition; fails with `what` when it does not come. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = 'what the test waits for',
  milliseconds = 15_000,
): Promise<void> {
  const end = Date.now() + patientLimit(milliseconds);
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`${what} did not happen`);
    await sleep(20);
  }
}
