/** After every test file: cleans up and puts back what the file changed, for the next one may run in the same process. */
import { cleanUpFile } from '@tenon/test-kit/temporary';
import { afterAll, vi } from 'vitest';

import { cpuSeconds } from './cpu-seconds.mjs';

/** A process that starts for a file belongs to its cost; what earlier files of the process used does not. */
const usedBefore = globalThis.tenonTestFiles === undefined ? 0 : cpuSeconds();
globalThis.tenonTestFiles = (globalThis.tenonTestFiles ?? 0) + 1;
const environment = { ...process.env };
const folder = process.cwd();

// Vitest demands a pattern for the fixtures, of which there are none here.
// oxlint-disable-next-line no-empty-pattern
afterAll(async ({}, file) => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await cleanUpFile();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  if (process.cwd() !== folder) process.chdir(folder);
  const used = cpuSeconds();
  // The reporter reads it; `usedBefore` is 0 where the system does not tell.
  if (used !== undefined) file.meta.cpuSeconds = used - (usedBefore ?? 0);
});
