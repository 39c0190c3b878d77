import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { expect, it } from 'vitest';
import { guardedStart } from '../src/launch/guarded-start.ts';

/** What this process holds open in a folder. */
function openIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${name}`);
      return file.startsWith(folder) ? [file] : [];
    } catch {
      return []; // It was closed meanwhile.
    }
  });
}

it.skipIf(process.platform !== 'linux')('a start that cannot be written leaves nothing open', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'start'));
  await expect(guardedStart(folder, ['true'])).rejects.toThrow('EISDIR');
  expect(openIn(folder)).toEqual([]);
});

it.skipIf(process.platform !== 'linux')('holds the pipe of the guard until the end', async () => {
  const folder = temporaryFolder();
  const start = await guardedStart(folder, ['true']);
  expect(openIn(folder)).toEqual([join(folder, 'alive')]);
  await start.end();
  expect(openIn(folder)).toEqual([]);
});
