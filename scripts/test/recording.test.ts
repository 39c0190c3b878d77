import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '../..');
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;

// Without a sandbox, Tenon says so, and the recording would show it.
it.skipIf(!isThere('script') || !isThere('bwrap'))('the recorded terminal shows what the program writes today', () => {
  const recorder = join(REPOSITORY, 'scripts/docs/record-terminal.mjs');
  const env = { ...process.env, TENON_SKIP_SETUP: '1' };
  const { status, stderr } = spawnSync(process.execPath, [recorder, '--check'], { env, encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
});
