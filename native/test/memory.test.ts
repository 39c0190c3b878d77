import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findAddon, implementations } from '../src/index.ts';

const found = await implementations('memory');

/** Run in a process of its own: this one may have given its pages back before. */
const FRESH = `
  const megabytes = () => Number(/^RssFile:\\s+(\\d+) kB$/m.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  const addon = require(process.argv[1]);
  const before = megabytes();
  const released = addon.memoryRelease() / 1024 / 1024;
  console.log(JSON.stringify({ before, released, after: megabytes() }));
`;

describe.each(found)('memory of a process that waits ($kind)', ({ kind, implementation }) => {
  it('says how much code was unmapped, and everything goes on', () => {
    const text = JSON.stringify(process.versions);
    const bytes = implementation.release();
    if (kind === 'js') expect(bytes).toBe(0);
    else expect(bytes).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(process.versions)).toBe(text);
  });

  it.runIf(kind === 'native' && process.platform === 'linux')('unmaps most of the pages of Node itself', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', FRESH, findAddon().path ?? ''], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const { before, released, after } = JSON.parse(stdout) as Record<'before' | 'released' | 'after', number>;
    expect(before).toBeGreaterThan(20);
    expect(released).toBeGreaterThan(15);
    expect(after).toBeLessThan(before / 2);
  });

  it('can be asked while other threads of the process work', async () => {
    const { Worker } = await import('node:worker_threads');
    const code = `
      const words = [];
      for (let at = 0; at < 200000; at++) words.push('word ' + at);
      require('node:worker_threads').parentPort.postMessage(words.every((word, at) => word === 'word ' + at));
    `;
    const workers = [1, 2].map(() => new Worker(code, { eval: true }));
    const answers = workers.map(
      (worker) => new Promise<unknown>((resolve, reject) => worker.once('message', resolve).once('error', reject)),
    );
    const timer = setInterval(() => implementation.release(), 1);
    expect(await Promise.all(answers).finally(() => clearInterval(timer))).toEqual([true, true]);
  });
});
