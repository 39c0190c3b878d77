/** After every test file: cleans up and puts back what the file changed, for the next one may run in the same process. */
import { cleanUpFile } from '@tenon/test-kit/temporary';
import { afterAll, vi } from 'vitest';

const environment = { ...process.env };
const folder = process.cwd();

afterAll(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await cleanUpFile();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  if (process.cwd() !== folder) process.chdir(folder);
});
