#!/usr/bin/env node
/**
 * Drives `tenon acp` with acpx, a client of the protocol that others have written. It is fetched once, into node_modules/.cache; the
 * offline model answers, so that nothing else is reached.
 *
 *   node packages/plugins/modes/acp/test/conformance/acpx.run.mjs
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../../../../..');
const VERSION = '0.19.1';
const SKIPPED = 77;
const cache = join(ROOT, 'node_modules/.cache/acpx', VERSION);
const acpx = join(cache, 'node_modules/acpx/dist/cli.js');
const main = process.env['TENON_TEST_PROGRAM'] ?? join(ROOT, 'packages/cli/dist/main.js');
const say = (text) => process.stdout.write(`${text}\n`);

if (!existsSync(acpx)) {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--prefix', cache, '--no-audit', '--no-fund', '--ignore-scripts', `acpx@${VERSION}`];
  spawnSync('npm', words, { stdio: ['ignore', 'ignore', 'inherit'], cwd: cache });
}
if (!existsSync(acpx)) {
  say('acpx cannot be fetched here');
  process.exit(SKIPPED);
}

const home = mkdtempSync(join(tmpdir(), 'tenon-acpx-'));
const work = join(home, 'work');
mkdirSync(join(work, '.git'), { recursive: true });
writeFileSync(join(work, 'a.txt'), 'TODO: one\n');
const env = { PATH: process.env['PATH'], HOME: home, TENON_HOME: join(home, 'tenon'), TENON_PROBE_LOCAL: 'false' };
let seen = '';
const run = (...words) => {
  const agent = `${process.execPath} ${main} acp`;
  const args = [acpx, '--agent', agent, '--ttl', '1', ...words];
  const once = () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: work,
      env,
      encoding: 'utf8',
      timeout: 120_000,
    });
    return { text: `${stdout}${stderr}`, status };
  };
  // acpx keeps a process for its session; who comes while that one ends is sent away.
  let result = once();
  for (let tries = 0; tries < 20 && result.text.includes('Queue owner is shutting down'); tries += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    result = once();
  }
  seen = result.text;
  return result;
};

/** What is done, and what must be seen then. */
const CASES = {
  'one prompt': () => run('exec', 'find all files that mention TODO').text.includes('TODO` occurs on 1 line'),
  'a stream that is nothing but the protocol': () => {
    const { text } = run('--format', 'json', '--json-strict', 'exec', 'find all files that mention TODO');
    const frames = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return frames.every(({ jsonrpc }) => jsonrpc === '2.0') && frames.at(-1).result.stopReason === 'end_turn';
  },
  'a new session': () => run('sessions', 'new').status === 0,
  'a prompt in it': () => /end_turn/.test(run('prompt', 'find all files that mention TODO').text),
  'the mode': () => run('set-mode', 'strict').text.includes('mode set: strict'),
  'an option': () => run('set', 'mode', 'ask').text.includes('mode=ask'),
  'the session again, in another process': () =>
    /session\/(?:load|resume)[\s\S]*end_turn/.test(run('prompt', 'how many lines does a.txt have?').text),
  'a change that the client writes': () => {
    run('--approve-all', 'exec', 'create a file made.txt with "made by hand"');
    return (
      existsSync(join(work, 'made.txt')) && readFileSync(join(work, 'made.txt'), 'utf8').startsWith('made by hand')
    );
  },
};

const failed = [];
for (const [name, holds] of Object.entries(CASES)) {
  let isRight = false;
  seen = '';
  try {
    isRight = holds();
  } catch (fault) {
    say(String(fault));
  }
  say(`${name}: ${isRight ? 'ok' : `FAILS\n${seen}`}`);
  if (!isRight) failed.push(name);
}
rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
const folder = process.env['TENON_CONFORMANCE_FOLDER'];
if (folder !== undefined) {
  const cases = Object.keys(CASES).length;
  const count = { suite: 'ACP: what a client sees', oracle: `acpx ${VERSION}`, cases, same: cases - failed.length };
  writeFileSync(join(folder, 'acpx.json'), JSON.stringify({ ...count, refused: 0, different: failed.length }));
}
process.exitCode = failed.length === 0 ? 0 : 1;
