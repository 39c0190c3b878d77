#!/usr/bin/env node
/**
 * Sees which modules of the built program a prompt uses until its first request, and which afterwards until its end, and writes them to
 * prompt-modules.json beside this file: `node scripts/program/record-prompt.mjs`, after a build. `regions.mjs` puts them together.
 * The list is also there to be read: what a change makes every prompt load shows in its difference.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../load-source.mjs';
import { PROGRAM_SOURCES } from './quick-program.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const HOOK = fileURLToPath(new URL('record-hook.cjs', import.meta.url));
const PROTOCOLS = ['openai-completions', 'anthropic-messages', 'openai-responses'];

/**
 * @param {string} root the checkout, whose program has been built
 * @returns {Promise<{ untilRequest: string[], afterwards: string[], ofNode: string[] }>} sources, each in one of the first two lists, and what
 *   Node has loaded of its own until the first request
 */
export async function recordPrompt(root = ROOT) {
  const { startFakeModels } = await loadSource(
    root,
    "export { startFakeModels } from './packages/model-fakes/src/index.ts';",
  );
  const fake = await startFakeModels();
  const home = mkdtempSync(join(tmpdir(), 'tenon-record-'));
  try {
    writeHome(home, fake);
    const [first, all, ofNode] = [new Set(), new Set(), new Set()];
    for (const protocol of PROTOCOLS) {
      for (const [folder, ...words] of [['plain', '--no-session'], ['project']]) {
        const seen = await run(root, home, fake, { protocol, folder, words });
        seen.untilRequest.forEach((source) => first.add(source));
        seen.all.forEach((source) => all.add(source));
        seen.ofNode.forEach((name) => ofNode.add(name));
      }
    }
    const afterwards = [...all].filter((source) => !first.has(source));
    return { untilRequest: [...first].sort(), afterwards: afterwards.sort(), ofNode: [...ofNode].sort() };
  } finally {
    await fake.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** A folder with nothing, and one with what projects have. */
function writeHome(home, fake) {
  const put = (path, text) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const providers = Object.fromEntries(
    PROTOCOLS.map((api) => [api, { baseUrl: fake.baseUrl(api), apiKey: 'none-needed', api, models: [{ id: 'm' }] }]),
  );
  put('home/config/models.yml', JSON.stringify({ providers }));
  for (const folder of ['plain', 'project']) put(`${folder}/notes.txt`, 'A note.\n');
  put('project/.git/HEAD', 'ref: refs/heads/main\n');
  put('project/AGENTS.md', 'Short answers.\n');
}

async function run(root, home, fake, { protocol, folder, words }) {
  const call = { type: 'toolCall', id: 'call_1', name: 'read', arguments: { path: 'notes.txt' } };
  fake.reply({ content: [call] }, { content: [{ type: 'text', text: 'Done.' }] });
  const seen = join(home, 'seen.json');
  const program = [
    join(root, 'packages/cli/dist/main.cjs'),
    '--model',
    `${protocol}/m`,
    ...words,
    '-p',
    'Read notes.txt.',
  ];
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['--require', HOOK, ...program], {
    cwd: join(home, folder),
    env: { PATH, HOME: home, TENON_HOME: join(home, 'home'), TENON_CACHE_DIR: join(home, 'cache'), TENON_RECORD: seen },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
  const code = await new Promise((done, fail) => child.on('close', done).on('error', fail));
  if (code !== 0 || fake.requests.length !== 2) throw new Error(`the program ended with ${code}: ${output}`);
  fake.requests.length = 0;
  return sourcesOf(root, JSON.parse(readFileSync(seen, 'utf8')));
}

/** The sources of the modules that have run: a module is a function of its script, or a script of its own. */
function sourcesOf(root, { untilRequest, all, ofNode }) {
  const file = join(root, 'packages/cli/dist', PROGRAM_SOURCES);
  const sources = JSON.parse(readFileSync(file, 'utf8'));
  const named = (places) =>
    places.map((place) => sources[place] ?? sources[place.replace(/:\d+$/, '')]).filter(Boolean);
  return { untilRequest: named(untilRequest), all: named(all), ofNode };
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { untilRequest, afterwards } = await recordPrompt();
  const text = JSON.stringify({ untilRequest, afterwards }, null, 2);
  writeFileSync(new URL('prompt-modules.json', import.meta.url), `${text}\n`);
  process.stderr.write(`${untilRequest.length} modules until the first request, ${afterwards.length} afterwards\n`);
}
