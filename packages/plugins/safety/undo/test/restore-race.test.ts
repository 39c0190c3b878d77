/** Restoring while a program swaps folders for links: nothing outside is written, deleted or opened to others. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { expect, it } from 'vitest';
import { openBench } from './undo-bench.ts';

/** Two names change places over and over: a folder, and a link that leads outside. It ends by itself. */
const SWAP = `
  const { renameSync, symlinkSync, writeFileSync } = require('node:fs');
  const [folder, outside, mark] = process.argv.slice(1);
  symlinkSync(outside, folder + '.link');
  writeFileSync(mark, '');
  for (const end = Date.now() + 20000; Date.now() < end; ) {
    try {
      renameSync(folder, folder + '.real');
      renameSync(folder + '.link', folder);
      renameSync(folder, folder + '.link');
      renameSync(folder + '.real', folder);
    } catch {}
  }`;
const FILES = Array.from({ length: 60 }, (_none, index) => `f${index}`);

it.runIf(process.platform === 'linux')(
  'a folder that is swapped for a link during a restore leads nowhere',
  async () => {
    const bench = openBench();
    const outside = temporaryFolder('undo-outside');
    const folder = join(bench.root, 'a', 'b');
    mkdirSync(folder, { recursive: true });
    for (const name of FILES) {
      writeFileSync(join(folder, name), 'kept');
      writeFileSync(join(outside, name), 'not yours', { mode: 0o600 });
    }
    writeFileSync(join(outside, 'made'), 'by the call');
    const mark = join(bench.home, 'mark');
    for (let round = 0; round < 4; round++) {
      await bench.call(() => {
        for (const name of FILES.slice(0, 30)) rmSync(join(folder, name));
        for (const name of FILES.slice(30)) writeFileSync(join(folder, name), 'changed');
        writeFileSync(join(folder, 'made'), 'by the call');
      });
      const swapper = spawn(process.execPath, ['-e', SWAP, folder, outside, mark], { stdio: 'ignore' });
      const ended = once(swapper, 'exit');
      try {
        await until(() => existsSync(mark));
        await bench.undo.restore({ cwd: bench.root, force: true });
      } finally {
        swapper.kill('SIGKILL');
        await ended;
      }
      expect(readdirSync(outside).toSorted()).toEqual([...FILES, 'made'].toSorted());
      for (const name of FILES) {
        expect(readFileSync(join(outside, name), 'utf8')).toBe('not yours');
        expect(statSync(join(outside, name)).mode & 0o777).toBe(0o600);
      }
      // Everything back to where the next round begins.
      for (const name of ['b', 'b.link', 'b.real'])
        rmSync(join(bench.root, 'a', name), { recursive: true, force: true });
      rmSync(mark);
      mkdirSync(folder, { recursive: true });
      for (const name of FILES) writeFileSync(join(folder, name), 'kept');
    }
  },
);
