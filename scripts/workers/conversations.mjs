#!/usr/bin/env node
/**
 * Lets the real coding CLIs hold a conversation with a scripted model, offline, and keeps the files in which they remember it:
 * what `tenon session import` is tested with. Look at them before anything of them is committed.
 *
 *   node scripts/workers/conversations.mjs FOLDER [claude codex gemini pi]
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { TerminalRun } from '../../bench/harness/tui-terminal.mjs';
import { REPOSITORY } from '../workspace.mjs';
import { CLIS, keyFor } from './clis.mjs';
import { installClis } from './install.mjs';
import { MARK, ScriptedModel } from './model.mjs';
import { World } from './world.mjs';

const INSIDE = 'TENON_CONVERSATIONS';
const SAID = { first: 'What do notes.txt and missing.txt say?', image: 'What is this?', last: 'Which colour?' };
/** 16 by 16 red points. */
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==';
const KEPT = { claude: '.claude/projects', codex: '.codex/sessions', gemini: '.gemini/tmp', pi: '.pi/agent/sessions' };
/** Lines with whole requests and settings. */
const LEFT_OUT = /^(?:api-request|atis|cost-state|tools-used|world_state)/;
const SIGNATURE = Buffer.from('signed-by-another-account').toString('base64');
const MAX_CHARS = 240;
const LIMIT_MS = 60_000;

const text = (words) => ({ content: [{ type: 'text', text: words }] });
const asked = (words) => `${MARK} ${words}`;

/** Two calls at once, one of which fails. */
function playsCalls(model, cli) {
  const thinking = { type: 'thinking', thinking: 'I look at both files at once.', signature: SIGNATURE };
  const calls = ['cat notes.txt', 'cat missing.txt'].map((command, at) => ({
    type: 'toolCall',
    id: `call_${at === 0 ? 'one' : 'two'}`,
    ...cli.shell(command),
  }));
  model.plays(
    { content: [thinking, { type: 'text', text: 'I read both files.' }, ...calls] },
    text('The notes say that the heron is grey; missing.txt is not there.'),
  );
}

/** @typedef {{ run(words: string[], input?: string): Promise<void>, model: ScriptedModel, cli: object, world: World, bin: string }} Stage */

/** @type {Record<string, (stage: Stage) => Promise<void>>} */
const PLAYS = {
  async claude({ run, model, cli, world }) {
    const id = '11111111-2222-4333-8444-555555555555';
    const base = ['-p', '--model', 'claude-sonnet-4-5', '--verbose', '--output-format', 'stream-json'];
    const allowed = ['--allowedTools', 'Bash,Agent'];
    playsCalls(model, cli);
    await run([...base, ...allowed, '--session-id', id, asked(SAID.first)]);
    model.plays(text('It is a red square.'));
    const source = { type: 'base64', media_type: 'image/png', data: IMAGE };
    const content = [
      { type: 'text', text: asked(SAID.image) },
      { type: 'image', source },
    ];
    const row = JSON.stringify({ type: 'user', message: { role: 'user', content } });
    await run([...base, '--input-format', 'stream-json', '--resume', id], `${row}\n`);
    const helper = { description: 'Look', prompt: asked('look at the notes'), subagent_type: 'general-purpose' };
    const call = { type: 'toolCall', id: 'call_task', name: 'Agent', arguments: helper };
    model.plays({ content: [{ type: 'text', text: 'I ask a helper.' }, call] }, text('Grey.'), text('So it is grey.'));
    await run([...base, ...allowed, '--resume', id, asked('Ask a helper.')]);
    const file = filesBelow(join(world.home, KEPT.claude)).find((path) => path.endsWith(`${id}.jsonl`));
    const rows = linesOf(file).map((line) => JSON.parse(line));
    const back = rows.find(({ type, message }) => type === 'assistant' && JSON.stringify(message).includes('heron is'));
    model.plays(text('On a second branch: a heron.'));
    await run([...base, '--resume', id, '--resume-session-at', back.uuid, asked('Say it in one word.')]);
    model.plays(text('<summary>We read notes.txt: the heron is grey.</summary>'));
    await run(['-p', '--model', 'claude-sonnet-4-5', '--resume', id, '/compact']);
    model.plays(text('After the summary: grey.'));
    await run([...base, '--resume', id, asked(SAID.last)]);
  },
  async codex({ run, model, cli, world, bin }) {
    const base = ['--skip-git-repo-check', '-m', 'gpt-5.1-codex', '--disable', 'plugins', '--json'];
    playsCalls(model, cli);
    await run(['exec', ...base, '-c', 'sandbox_mode="danger-full-access"', asked(SAID.first)]);
    model.plays(text('It is a red square.'));
    await run(['exec', 'resume', '--last', ...base, '-i', 'dot.png', '--', asked(SAID.image)]);
    const screen = new TerminalRun({
      command: join(bin, 'codex'),
      args: ['--no-daemon', '-m', 'gpt-5.1-codex', '--disable', 'plugins'],
      env: world.env,
      cwd: world.work,
    });
    await screen.shows(cli.ready);
    const say = async (prompt, answer) => {
      model.plays(text(answer));
      await screen.submit(asked(prompt));
      await screen.shows(new RegExp(answer));
      await screen.rests(800, LIMIT_MS);
    };
    await say('First things first.', 'First answer.');
    await say('Go astray.', 'A wrong turn.');
    for (const key of ['\x1b', '\x1b', '\r']) {
      screen.type(key);
      await sleep(1_500);
    }
    for (const _letter of asked('Go astray.')) screen.type('\x7f');
    await say('Go on.', 'The right turn.');
    await screen.submit('/compact');
    await screen.shows(/compacted/);
    await screen.submit('/quit');
    await screen.until(() => screen.hasEnded, 'the end', LIMIT_MS);
    model.plays(text('After the summary: grey.'));
    await run(['exec', 'resume', '--last', ...base, asked(SAID.last)]);
  },
  async gemini({ run, model, cli }) {
    const base = ['-m', 'gemini-2.5-pro', '-o', 'json', '-y'];
    playsCalls(model, cli);
    await run([...base, '-p', asked(SAID.first)]);
    model.plays(text('It is a red square.'));
    await run([...base, '-r', 'latest', '-p', asked(`${SAID.image} @dot.png`)]);
  },
  async pi({ run, model, cli, world }) {
    const base = ['--provider', 'anthropic', '--model', 'claude-sonnet-4-5'];
    playsCalls(model, cli);
    await run([...base, '-p', asked(SAID.first)]);
    model.plays(text('It is a red square.'));
    await run([...base, '-c', '-p', '@dot.png', asked(SAID.image)]);
    world.write('.pi/agent/settings.json', { retry: { enabled: false }, compaction: { keepRecentTokens: 10 } });
    model.plays(text('Still grey.'), text('After the summary: grey.'));
    const rows = [
      { type: 'prompt', message: asked('Sure?') },
      { type: 'compact' },
      { type: 'prompt', message: asked(SAID.last) },
    ];
    await run([...base, '--mode', 'rpc', '-c'], rows);
  },
};

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((path) => join(folder, String(path)))
    .filter((path) => statSync(path).isFile());
const linesOf = (file) => readFileSync(file, 'utf8').trim().split('\n');

async function record(name, { bin }, folder) {
  const cli = CLIS[name];
  const model = await ScriptedModel.start();
  const world = new World({ bin, env: {} });
  try {
    Object.assign(world.env, cli.setUp(world, model.url), { [cli.keyVariable]: keyFor(name, 'good') });
    writeFileSync(join(world.work, 'notes.txt'), 'The heron is grey.\n');
    writeFileSync(join(world.work, 'dot.png'), Buffer.from(IMAGE, 'base64'));
    const run = (words, input = '') => runCli(join(bin, name), words, world, input);
    await PLAYS[name]({ run, model, cli, world, bin });
    keep(name, world, folder);
  } finally {
    await world.close();
    await model.close();
  }
}

/** `input` as a list is said line by line, with time to answer. */
async function runCli(program, words, { work: cwd, env }, input) {
  const child = spawn(program, words, { cwd, env, stdio: ['pipe', 'ignore', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (part) => (err += part));
  const ended = new Promise((done) => child.on('close', done));
  for (const row of Array.isArray(input) ? input : []) {
    await sleep(3_000);
    child.stdin.write(`${JSON.stringify(row)}\n`);
  }
  if (Array.isArray(input)) await sleep(3_000);
  child.stdin.end(Array.isArray(input) ? '' : input);
  const code = await ended;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${err.slice(-600)}`);
}

/** Copies the files, without what belongs to this machine or is long. */
function keep(name, world, folder) {
  const from = join(world.home, KEPT[name]);
  const plain = (said) =>
    [
      [world.work, '/srv/shop'],
      [REPOSITORY, '/srv/tenon'],
      [world.home, '/srv/person'],
      [world.work.replaceAll(/[/.]/g, '-').replace(/^-/, ''), 'srv-shop'],
      [`${MARK} `, ''],
    ].reduce((result, [here, there]) => result.replaceAll(here, there), said);
  for (const file of filesBelow(from).filter((path) => /\.jsonl$|\.project_root$/.test(path))) {
    const target = join(
      folder,
      name,
      relative(join(world.home, `.${name}`), plain(file).replace('/srv/person', world.home)),
    );
    mkdirSync(dirname(target), { recursive: true });
    if (!file.endsWith('.jsonl')) writeFileSync(target, plain(readFileSync(file, 'utf8')));
    else {
      const rows = linesOf(file).map((line) => JSON.parse(plain(line)));
      const wanted = rows.filter(({ type = '' }) => !LEFT_OUT.test(type));
      writeFileSync(target, wanted.map((row) => `${JSON.stringify(shortened(row))}\n`).join(''));
    }
  }
}

function shortened(value, key = '') {
  if (Array.isArray(value)) return value.map((item) => shortened(item));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner, name)]));
  const isWhole =
    /^(?:data|image_url|encrypted_content|summary|message)$/.test(key) || /^<(?:task|local|command)/.test(value);
  return typeof value === 'string' && value.length > MAX_CHARS && !isWhole
    ? `${value.slice(0, 200)} … (shortened)`
    : value;
}

const [folder = '', ...names] = process.argv.slice(2);
if (folder === '') throw new Error('Say where to write the conversations.');
const clis = installClis(names.length > 0 ? names : Object.keys(PLAYS), (line) => process.stdout.write(`${line}\n`));
if (process.env[INSIDE] === undefined) {
  // A network of its own, with nothing but the model in it.
  const again = [process.execPath, fileURLToPath(import.meta.url), resolve(folder), ...names];
  const up = 'ip link set lo up && ip address add 198.51.100.1/32 dev lo && exec "$@"';
  const env = { ...process.env, [INSIDE]: '1' };
  const { status } = spawnSync('unshare', ['-rn', 'sh', '-c', up, 'sh', ...again], { stdio: 'inherit', env });
  process.exitCode = status ?? 1;
} else {
  for (const [name, cli] of Object.entries(clis)) {
    if (cli.bin === undefined) throw new Error(cli.reason);
    await record(name, cli, folder);
    process.stdout.write(`${name}: ${join(folder, name)}\n`);
  }
  process.exit(0); // Some of them leave a daemon that holds the pipes.
}
