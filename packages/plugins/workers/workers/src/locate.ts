/** Finds the programs of workers. */
import { existsSync } from 'node:fs';
import { findInPath } from '@tenon/host';
import type { WorkerAdapter } from './api.ts';

/** The file of an adapter's program; undefined when it is not installed. */
export async function locateWorker(
  adapter: Pick<WorkerAdapter, 'spec' | 'start'>,
  path: string | undefined,
): Promise<string | undefined> {
  const words = adapter.start?.();
  // The runtime is there whenever this runs; what counts is the program that it is to run.
  const script = words !== undefined && words.length > 1 ? words.at(-1) : undefined;
  if (script !== undefined) return existsSync(script) ? script : undefined;
  return findInPath(words?.[0] ?? adapter.spec.program, { PATH: path });
}
