/** A user whom the password file does not know, as `docker run --user` makes them. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Home, MAIN } from '@tenon/test-kit/program';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const AS_NOBODY_KNOWN = ['--user', '--map-user=54321', '--map-group=54321'];
const canMap = spawnSync('unshare', [...AS_NOBODY_KNOWN, 'true']).status === 0;

describe.skipIf(!canMap)('a user without an entry in the password file', () => {
  let home: Home;
  beforeEach(() => {
    home = new Home();
  });
  afterEach(() => home.remove());
  const tenon = (...words: string[]) =>
    spawnSync('unshare', [...AS_NOBODY_KNOWN, process.execPath, MAIN, ...words], {
      cwd: home.work,
      env: home.environment(),
      encoding: 'utf8',
    });

  it('changes files, and takes the change back', () => {
    const made = tenon('-p', 'create a file made.txt with "hi"');
    expect(`${made.stdout}${made.stderr}`).not.toMatch(/uv_os_get_passwd|cannot be undone/);
    expect([made.status, existsSync(join(home.work, 'made.txt'))]).toEqual([0, true]);
    const undone = tenon('undo', '--yes');
    expect(undone.stderr).toBe('');
    expect([undone.status, existsSync(join(home.work, 'made.txt'))]).toEqual([0, false]);
  });
});
