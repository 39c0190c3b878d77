#!/usr/bin/env node
/**
 * Drives `tenon acp` with the example client of the protocol's own SDK, unchanged: as its first generation had it, and as the last release
 * that carries it. The client starts its agent as `npx tsx agent.ts`; the `npx` on its PATH is Tenon. A scripted model answers. The client
 * is fetched once, into node_modules/.cache.
 *
 *   node packages/plugins/modes/acp/test/conformance/sdk-example.run.mjs
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startFakeModels } from '@tenon/model-fakes';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../../../../..');
const VERSIONS = ['0.29.0', '1.9.0'];
const SKIPPED = 77;
const PATIENCE_MS = 120_000;
const main = process.env['TENON_TEST_PROGRAM'] ?? join(ROOT, 'packages/cli/dist/main.js');
const say = (text) => process.stdout.write(`${text}\n`);

const clients = VERSIONS.map((version) => [version, clientOf(version)]);
if (clients.some(([, client]) => !existsSync(client))) {
  say('the example client of the SDK cannot be fetched here');
  process.exit(SKIPPED);
}

const model = await startFakeModels();
const home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-acp-example-')));
const work = join(home, 'work');
const file = join(work, 'a.txt');
mkdirSync(join(work, '.git'), { recursive: true });
writeFileSync(file, 'on disk\n');
mkdirSync(join(home, 'bin'));
writeFileSync(join(home, 'bin/npx'), `#!/bin/sh\nexec "${process.execPath}" "${main}" acp --model fake/m\n`, {
  mode: 0o755,
});
mkdirSync(join(home, 'tenon/config'), { recursive: true });
const fake = { api: 'openai-completions', baseUrl: model.baseUrl('openai-completions'), apiKey: 'none' };
writeFileSync(
  join(home, 'tenon/config/models.yml'),
  JSON.stringify({ providers: { fake: { ...fake, models: [{ id: 'm', contextWindow: 32_000 }] } } }),
);
writeFileSync(join(home, 'tenon/config/settings.yml'), JSON.stringify({ approval: { mode: 'strict' } }));
const env = {
  PATH: `${join(home, 'bin')}${delimiter}${process.env['PATH']}`,
  HOME: home,
  TENON_HOME: join(home, 'tenon'),
  TENON_PROBE_LOCAL: 'false',
};

const text = (said) => ({ content: [{ type: 'text', text: said }] });
const call = (name, input) => ({ content: [{ type: 'toolCall', id: 'call_1', name, arguments: input }] });
const write = (path) => call('write', { path, content: 'made by the agent\n' });
/** What the model was told of its last tool call. */
const told = () => JSON.stringify(model.requests.at(-1)?.body.messages.at(-1) ?? '');

/** What the model says, what the person answers to the question, and what must be seen then. */
const CASES = {
  'a conversation': {
    replies: () => [text('Hello, client!')],
    holds: (seen) =>
      /Connected to agent \(protocol v1\)/.test(seen) &&
      /Created session: \S+/.test(seen) &&
      seen.includes('Hello, client!') &&
      seen.includes('Agent completed with: end_turn'),
  },
  'a file that the client reads': {
    replies: () => [call('read', { path: 'a.txt' }), text('I have read it.')],
    holds: (seen) =>
      seen.includes('Read text file called with') &&
      told().includes('Mock file content') &&
      !told().includes('on disk') &&
      /🔧 Tool call `\S+` updated: completed/.test(seen) &&
      seen.includes('end_turn'),
  },
  'a change that the person allows, after an answer that is none': {
    replies: (version) => [write(`allowed-${version}.txt`), text('Done.')],
    answers: ['0', 'allow_once'],
    holds: (seen) =>
      seen.includes('Permission requested') &&
      seen.includes('Invalid option') &&
      /Write text file called with[^]*made by the agent/.test(seen) &&
      seen.includes('end_turn'),
  },
  'a change that the person refuses': {
    replies: (version) => [write(`refused-${version}.txt`), text('Then not.')],
    answers: ['reject_once'],
    holds: (seen) =>
      seen.includes('Permission requested') &&
      !seen.includes('Write text file called with') &&
      /updated: failed/.test(seen) &&
      /refus|reject|declin|denied/i.test(told()) &&
      seen.includes('Then not.') &&
      seen.includes('end_turn'),
  },
  'a model that refuses': {
    replies: () => [{ status: 400, message: 'no such thing' }],
    holds: (seen) => seen.includes('[Client] Error') && seen.includes('no such thing'),
  },
};

const failed = [];
for (const [version, client] of clients) {
  for (const [name, { replies, answers = [], holds }] of Object.entries(CASES)) {
    model.reply(...replies(version));
    const seen = await converse(client, answers);
    const isRight = holds(seen);
    say(`${version}: ${name}: ${isRight ? 'ok' : `FAILS\n${seen}\nthe model was told ${told()}`}`);
    if (!isRight) failed.push(`${version}: ${name}`);
  }
}
await model.close();
rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
const folder = process.env['TENON_CONFORMANCE_FOLDER'];
if (folder !== undefined) {
  const cases = VERSIONS.length * Object.keys(CASES).length;
  const oracle = `the SDK's example client ${VERSIONS.join(' and ')}`;
  const count = { suite: "ACP: the protocol's own client", oracle, cases, same: cases - failed.length };
  writeFileSync(join(folder, 'acp-example.json'), JSON.stringify({ ...count, refused: 0, different: failed.length }));
}
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs the client to its end; it asks "Choose an option: ", and gets the number of the option of the wanted kind, or the text itself. */
function converse(client, answers) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [client], { cwd: work, env, stdio: 'pipe', timeout: PATIENCE_MS });
    const waiting = [...answers];
    let seen = '';
    let questions = 0;
    const take = (part) => {
      seen += part;
      for (; seen.split('Choose an option: ').length - 1 > questions; questions += 1) {
        const wanted = waiting.shift() ?? '1';
        const [, number = wanted] = new RegExp(`(\\d+)\\. [^\\n]* \\(${wanted}\\)`).exec(seen) ?? [];
        child.stdin.write(`${number}\n`);
      }
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
    child.on('close', () => resolve(seen));
  });
}

/** The file of the client in a version of the SDK. */
function clientOf(version) {
  const cache = join(ROOT, 'node_modules/.cache/acp-example', version);
  const found = join(cache, 'node_modules/@agentclientprotocol/sdk/dist/examples/client.js');
  if (existsSync(found)) return found;
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'package.json'), '{ "private": true }\n');
  const wanted = `@agentclientprotocol/sdk@${version}`;
  const words = ['install', '--prefix', cache, '--no-audit', '--no-fund', '--ignore-scripts', wanted];
  spawnSync('npm', words, { stdio: ['ignore', 'ignore', 'inherit'], cwd: cache });
  return found;
}
