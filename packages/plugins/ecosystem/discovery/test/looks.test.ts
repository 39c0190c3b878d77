import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import { look } from '../src/stamps.ts';

describe('looking at paths', () => {
  it('sees in the next turn what has come into a folder that was not there', async () => {
    const root = temporaryFolder();
    const file = join(root, '.claude', 'settings.json');
    expect(look(file)).toEqual({});
    expect(look(file)).toEqual({});
    mkdirSync(join(root, '.claude'));
    writeFileSync(file, '{}');
    await nextTurn();
    await nextTurn();
    expect(look(file).stamp?.type).toBe('file');
  });

  it('does not take a folder for there that has gone', async () => {
    const root = temporaryFolder();
    const file = join(root, '.claude', 'settings.json');
    mkdirSync(join(root, '.claude'));
    writeFileSync(file, '{}');
    expect(look(file).stamp?.type).toBe('file');
    rmSync(join(root, '.claude'), { recursive: true });
    expect(look(file)).toEqual({});
  });

  it.each([['settings.json'], ['deep/settings.json'], ['very/deep/settings.json']])(
    'says that a file stands where the folder of %s should be',
    (name) => {
      const root = temporaryFolder();
      writeFileSync(join(root, '.claude'), 'no folder');
      const { problem } = look(join(root, '.claude', name));
      expect(problem?.code).toBe('DISCOVERY_NOT_A_FOLDER');
      expect(problem?.details['file']).toBe(join(root, '.claude'));
    },
  );
});
