/** The bytes of files, as tools read them. */
import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import { HEAD_BYTES, readHead } from '../src/read/file-bytes.ts';

const folder = temporaryFolder('file-bytes');
const put = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

describe('the head of a file', () => {
  it('that is small is there at once: no other thread is asked, which a turn would wait for', async () => {
    const path = put('small', 'a few words');
    let turned = false;
    setImmediate(() => (turned = true));
    expect(String(await readHead(path, statSync(path)))).toBe('a few words');
    expect(turned).toBe(false);
  });

  it.each([0, 1, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, 3 * HEAD_BYTES])(
    'of %i bytes is its start',
    async (size) => {
      const content = 'x1y2'.repeat(size / 4 + 1).slice(0, size);
      const path = put('any', content);
      expect(String(await readHead(path, statSync(path)))).toBe(content.slice(0, HEAD_BYTES));
    },
  );

  it('ends where the file ends now, if it has become shorter', async () => {
    const path = put('shrinks', 'longer than later');
    const stats = statSync(path);
    put('shrinks', 'short');
    expect(String(await readHead(path, stats))).toBe('short');
  });

  it.skipIf(process.platform === 'win32')(
    'fails, instead of waiting, where a pipe took the place of the file',
    async () => {
      const path = put('pipe', 'words');
      const stats = statSync(path);
      execFileSync('rm', [path]);
      execFileSync('mkfifo', [path]);
      await expect(readHead(path, stats)).rejects.toThrow('ESPIPE');
    },
  );
});
