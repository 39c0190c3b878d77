/** A machine of a fleet: a kernel with runs, the fleet and the fake worker, in a folder. */
import { mkdirSync } from 'node:fs';
import type { Kernel } from '@tenon/kernel';
import { separateFolders, startKernel } from '@tenon/test-kit/kernel';
import { fakeWorkers } from './fake-worker.ts';

/** Starts it. */
export async function startPlace(
  base: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly kernel: Kernel; readonly folders: ReturnType<typeof separateFolders> }> {
  const folders = separateFolders(base);
  mkdirSync(folders.cwd, { recursive: true });
  const kernel = await startKernel({
    folders,
    plugins: ['command-line', 'settings', 'tools', 'workers', 'runs', 'fleet', fakeWorkers],
    settings: { runs: { graceSeconds: 0.3, missingSignalRetries: 1 }, ...settings },
  });
  return { kernel, folders };
}
