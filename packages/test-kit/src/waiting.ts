import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** A machine that is busier than this is not given more time: something is wrong with it. */
const MOST_PATIENCE = 10;

/** A time limit in milliseconds, stretched by how many processes wait for each core. */
export function patientLimit(milliseconds: number): number {
  return milliseconds * Math.min(MOST_PATIENCE, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));
}

/** Waits for a condition; fails with `what`, which may be asked for only then, when it does not come. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'what the test waits for',
  milliseconds = 15_000,
): Promise<void> {
  const started = Date.now();
  while (!(await holds())) {
    // Asked each time, because the load may come while the test waits.
    if (Date.now() - started > patientLimit(milliseconds))
      throw new Error(`${typeof what === 'string' ? what : what()} did not happen`);
    await sleep(20);
  }
}
