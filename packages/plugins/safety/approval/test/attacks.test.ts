import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assessCommand } from '../src/judge/assess.ts';
import { worstTier } from '../src/judge/finding.ts';
import { makeHome } from './support.ts';

/** One command per line, or a JSON string. */
const attacks = readFileSync(new URL('attacks/shell.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => (line.startsWith('"') ? (JSON.parse(line) as string) : line));

const home = makeHome();
const { cwd, home: user } = home.folders;
for (const folder of [join(user, '.ssh'), join(cwd, '.git', 'hooks'), join(cwd, 'dist')])
  mkdirSync(folder, { recursive: true });
writeFileSync(join(user, '.ssh', 'id_rsa'), 'key');
for (const name of ['a.txt', 'package.json']) writeFileSync(join(cwd, name), 'x');
symlinkSync(user, join(cwd, 'link'));
symlinkSync('/etc', join(cwd, 'etc-link'));
afterAll(() => home.remove());

describe('attacks that were written with the source in hand', () => {
  it('are many', () => {
    expect(attacks.length).toBeGreaterThan(400);
  });

  it('are not taken for harmless without a sandbox', async () => {
    const quiet: string[] = [];
    for (const command of attacks) {
      const { findings } = await assessCommand({ command, cwd }, home.world);
      if (worstTier(findings) < 2) quiet.push(command);
    }
    expect(quiet).toEqual([]);
  });
});
