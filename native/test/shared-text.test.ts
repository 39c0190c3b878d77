/** Texts that V8 reads in Rust's memory: each is given back once, when its string or its thread is gone. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

import { findAddon } from '../src/index.ts';

const { path: addon } = findAddon();

/** The C library would keep large blocks for later; so what is given back is gone at once. */
const env = { ...process.env, MALLOC_MMAP_THRESHOLD_: '65536' };

/** The main thread never loads the addon, so that it is there for the workers alone. */
const MAIN = `
  const { Worker } = require('node:worker_threads');
  const [addon, ending, code] = process.argv.slice(1);
  const megabytes = () => Math.round(process.memoryUsage.rss() / 1e6);
  const work = () => new Promise((resolve, reject) => {
    let answer;
    const worker = new Worker(code, { eval: true, workerData: { addon, ending } });
    worker.on('message', (message) => {
      answer = message;
      if (ending === 'terminate') worker.terminate();
    });
    worker.on('error', reject);
    worker.on('exit', () => resolve(answer));
  });
  (async () => {
    const answers = [await work()];
    const before = megabytes();
    // One after the other, then side by side.
    for (let round = 0; round < 5; round += 1) answers.push(await work());
    answers.push(...await Promise.all([work(), work(), work()]));
    console.log(JSON.stringify({ answers, grown: megabytes() - before }));
  })();
`;

/** Holds the texts, slices of them, and one that another thread would have to copy. */
const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const content = 'f("' + 'abcdefgh'.repeat(125_000) + '");';
  const sources = Array.from({ length: 8 }, (_, at) => ({ path: at + '.js', content }));
  const request = { job: { sources, maxFileBytes: 1e8, enough: 1e6 }, rules: [{ pattern: 'f($A)' }], maxText: 1e8 };
  require(workerData.addon).syntaxSearch(JSON.stringify(request)).then(({ texts }) => {
    globalThis.held = [texts, texts.map((text) => text.slice(100, 200))];
    const right = texts.filter((text, at) => text === (at % 2 === 0 ? content.slice(0, -1) : ''));
    parentPort.postMessage({ right: right.length, bytes: texts.reduce((sum, text) => sum + text.length, 0) });
    if (workerData.ending === 'exit') process.exit(0);
    if (workerData.ending === 'terminate') setInterval(() => {}, 1_000);
  });
`;

describe.skipIf(addon === undefined)('texts that are shared with Rust', () => {
  it.each(['end', 'exit', 'terminate'])('are given back when their thread ends by `%s`', (ending) => {
    const args = ['-e', MAIN, addon ?? '', ending, WORKER];
    const { stdout, stderr, signal } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
    expect({ stderr, signal }).toEqual({ stderr: '', signal: null });
    const { answers, grown } = JSON.parse(stdout);
    expect(answers).toHaveLength(9);
    for (const { right, bytes } of answers) expect([right, bytes > 8e6]).toEqual([16, true]);
    // Eight times 8 MB, had they stayed.
    expect(grown).toBeLessThan(40);
  });

  it('are given back when nobody refers to them any more', () => {
    const code = `
      const addon = require(process.argv[1]);
      const content = 'f("' + 'abcdefgh'.repeat(125_000) + '");';
      const sources = Array.from({ length: 8 }, (_, at) => ({ path: at + '.js', content }));
      const request = JSON.stringify({ job: { sources, maxFileBytes: 1e8, enough: 1e6 }, rules: [{ pattern: 'f($A)' }], maxText: 1e8 });
      const ask = async () => (await addon.syntaxSearch(request)).texts[0].length;
      (async () => {
        await ask();
        global.gc();
        const before = process.memoryUsage.rss();
        for (let round = 0; round < 8; round += 1) {
          await ask();
          global.gc();
        }
        console.log(Math.round((process.memoryUsage.rss() - before) / 1e6));
      })();
    `;
    const args = ['--expose-gc', '-e', code, addon ?? ''];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
    expect(stderr).toBe('');
    expect(Number(stdout)).toBeLessThan(40);
  });
});
