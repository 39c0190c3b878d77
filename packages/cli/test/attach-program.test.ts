/** `tenon attach` as a person meets it: the built program on real pseudo-terminals, in front of a real control room. */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from '@tenon/test-kit/program';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { processesWith } from '@tenon/test-kit/processes';
import { KEYS, TerminalProgram } from '@tenon/test-kit/terminal-program';
import { until } from '@tenon/test-kit/waiting';
import { ApiClient, type SessionView } from '@tenon/web/api';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

interface Room {
  readonly url: string;
  readonly token: string;
  readonly port: number;
}

/** Asks when it is told to, and goes on with the answer. */
const CLI = `#!/bin/sh
task="$*"
session=$(printf '%s' "$task" | grep -o '"session": [0-9]*' | tail -1 | grep -o '[0-9]*')
signal() { printf '\\n\\n\`\`\`signal\\n%s\\n\`\`\`\\n' "$1"; }
done="{\\"session\\": $session, \\"status\\": \\"done\\"}"
case "$task" in
  *"and one more thing"*) echo "One more thing is done."; signal "$done";;
  *"answers to your questions"*) printf '%s' "$task" | grep -A1 'Which database' | tail -1; signal "$done";;
  *) echo "I need to know something."; signal "{\\"session\\": $session, \\"status\\": \\"questions\\", \\"questions\\": [{\\"id\\": \\"db\\", \\"text\\": \\"Which database?\\", \\"options\\": [\\"SQLite\\", \\"PostgreSQL\\"]}]}";;
esac
`;

let shop: Workshop;
let server: ChildProcess;
let room: Room;
let client: ApiClient;
const terminals: TerminalProgram[] = [];

beforeAll(async () => {
  shop = await openWorkshop();
  const program = join(shop.home.folder, 'bin/hand');
  writeFileSync(program, CLI);
  chmodSync(program, 0o755);
  const hand = { program, args: ['{prompt}'], output: 'text', versionArgs: ['--version'] };
  const settings = JSON.parse(readFileSync(shop.home.settings, 'utf8')) as object;
  const more = { models: { roles: { default: 'fake/m' } }, workers: { custom: { hand } } };
  writeFileSync(shop.home.settings, JSON.stringify({ ...settings, ...more }));
  await openRoom(0);
});
afterEach(async () => {
  for (const terminal of terminals.splice(0)) {
    terminal.kill();
    await terminal.ends();
  }
});
afterAll(async () => {
  server.kill('SIGINT');
  await until(() => processesWith(shop.home.folder).length === 0);
  await shop.close();
});

async function openRoom(port: number): Promise<void> {
  server = shop.home.start(['web', '--port', String(port), '--json'], {
    env: shop.home.environment({ TENON_SET: 'providers.probeLocal=false' }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  server.stdout?.on('data', (part: Buffer) => (said += part.toString()));
  await until(() => said.trim().endsWith('}'));
  room = JSON.parse(said) as Room;
  client = new ApiClient({ base: room.url, token: room.token });
}

function attach(...words: readonly string[]): TerminalProgram {
  const terminal = new TerminalProgram({
    program: process.execPath,
    words: [MAIN, 'attach', ...words],
    cwd: shop.home.work,
    env: shop.home.environment(),
  });
  terminals.push(terminal);
  return terminal;
}

const text = (value: string, more: object = {}) => ({ content: [{ type: 'text' as const, text: value }], ...more });
const open = () => client.call('openSession', { body: { cwd: shop.home.work } });
const say = (id: string, message: string) => client.call('prompt', { params: { id }, body: { message } });
const count = (all: string, part: string) => all.split(part).length - 1;

let calls = 0;
const call = (name: string, input: object) => ({
  content: [{ type: 'toolCall' as const, id: `call_${++calls}`, name, arguments: input }],
});
const question = (id: string) => ({
  questions: [{ id, question: `Which ${id}?`, options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }],
});

async function idle(id: string, total: number): Promise<SessionView> {
  let view: SessionView | undefined;
  await until(async () => {
    view = await client.call('viewSession', { params: { id } });
    return !view.state.isStreaming && view.total >= total;
  });
  if (!view) throw new Error('the session was never seen');
  return view;
}

test('a session: prompts from both sides, cards, questions whose first answer counts, a stop; and it goes on after Ctrl-D', async () => {
  const { id } = await open();
  shop.model.reply(
    call('write', { path: 'nine.txt', content: 'nine\n' }),
    text('**Nine** it is. \u001b]0;pwned\u0007\u001b[2J'),
  );
  // Nothing was said yet, so that no list has it.
  let terminal = attach(id);
  await terminal.shows('Say something to its agent');
  await terminal.shows(`attached to ${room.url}`);
  terminal.type('write nine', KEYS.enter);
  await terminal.shows('❯ write nine');
  await terminal.shows('✓ write nine.txt · 1 line, 5B · new');
  await terminal.shows('Nine it is.');
  expect(terminal.output).not.toContain('\u001b]0;pwned');
  expect(terminal.output).not.toContain('\u001b[2J');

  shop.model.reply(text('From the page.'));
  await say(id, 'said on the page');
  await terminal.shows('❯ said on the page');
  await terminal.shows('From the page.');

  terminal.type('/no-such-command', KEYS.enter);
  await terminal.shows('There is no command "/no-such-command"');

  // Answered elsewhere: the dialog goes. Answered here: the agent goes on with it.
  shop.model.reply(call('ask', question('color')), call('ask', question('database')), text('So be it.'));
  terminal.type('ask me', KEYS.enter);
  await terminal.shows('Which color?');
  expect(count(terminal.all, 'There is no command "/no-such-command"')).toBe(1);
  // Who leaves has not answered.
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ends()).toBe(0);
  terminal = attach(id.slice(0, 8));
  await terminal.shows('Which color?');
  const [asked] = (await client.call('listQuestions', {})).questions;
  await client.call('answerQuestion', { params: { id: asked?.id ?? '' }, body: { value: asked?.options?.[0] ?? '' } });
  await terminal.shows('Which database?');
  await terminal.rests(1_200);
  terminal.type(KEYS.down);
  await terminal.rests();
  terminal.type(KEYS.enter);
  await terminal.shows('So be it.');
  expect(JSON.stringify(shop.model.requests.at(-1)?.body['messages'])).toContain('PostgreSQL');
  expect((await client.call('listQuestions', {})).questions).toEqual([]);

  shop.model.reply(text('word '.repeat(400), { deltaSize: 5, fault: { kind: 'stall', after: 60 } }));
  terminal.type('go on for ever', KEYS.enter);
  await terminal.shows('word word');
  terminal.type(KEYS.escape);
  await idle(id, 12);

  shop.model.reply(text('Finished without anybody.', { deltaSize: 2, paceMs: 5 }));
  terminal.type('last one', KEYS.enter);
  await terminal.shows('❯ last one');
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ends()).toBe(0);
  await terminal.shows(`come back with: tenon attach ${id}`);
  for (const mode of ['\u001b[?2004l', '\u001b[?25h']) expect(terminal.output).toContain(mode);
  const { total } = await idle(id, 14);

  const again = attach(id.slice(0, 8));
  await again.shows('Finished without anybody.');
  await again.shows('✓ write nine.txt');
  expect(count(again.all, '❯ write nine')).toBe(1);
  expect((await client.call('viewSession', { params: { id } })).total).toBe(total);
  await client.call('closeSession', { params: { id } });
  await again.shows('The agent of this session has ended.');
  shop.model.reply(text('Back again.'));
  again.type('come back', KEYS.enter);
  await again.shows('Back again.');
  expect(count(again.all, '❯ come back')).toBe(1);
  await client.call('closeSession', { params: { id } });
});

test('joined in the middle of an answer it shows all of it once; a killed server comes back, and nothing is lost or doubled', async () => {
  const { id } = await open();
  const words = Array.from({ length: 200 }, (_, index) => `w${index}`);
  shop.model.reply(text(`${words.join(' ')}.`, { deltaSize: 3, paceMs: 4 }));
  await say(id, 'stream');
  const terminal = attach(id);
  await terminal.shows('w199.');
  await idle(id, 2);
  const shown = terminal.all.replaceAll(/\s+/g, ' ');
  for (const word of [' w0 ', ' w99 ', ' w199.']) expect([word, count(shown, word)]).toEqual([word, 1]);

  // Joined while a tool runs: its card is there, once, and ends.
  const wait = 'until [ -e go ]; do sleep 0.1; done; echo slept-well';
  shop.model.reply(call('bash', { command: wait }), text('Awake.'));
  await say(id, 'sleep');
  await until(async () => (await client.call('viewSession', { params: { id } })).total >= 4);
  const late = attach(id);
  await late.shows('until [ -e go ]');
  shop.home.put('work/go', '');
  for (const each of [late, terminal]) await each.shows('Awake.');
  for (const { all } of [late, terminal])
    expect([count(all, 'until [ -e go ]'), count(all, '❯ sleep'), count(all, 'Awake.')]).toEqual([1, 1, 1]);
  expect(late.all).toContain('slept-well');
  late.type(KEYS.ctrlD);
  await late.ends();

  server.kill('SIGKILL');
  await terminal.shows('is lost; trying again');
  const { port } = room;
  await openRoom(port);
  await terminal.shows(`attached to ${room.url}`);
  shop.model.reply(text('After the crash.'));
  await until(async () => (await client.call('overview', {})).openSessions === 1);
  await terminal.hides('is lost; trying again');
  terminal.type('still there?', KEYS.enter);
  await terminal.shows('After the crash.');
  expect(count(terminal.all.replaceAll(/\s+/g, ' '), ' w99 ')).toBe(1);
  expect(count(terminal.all, '❯ still there?')).toBe(1);
  // What the killed server left is gone, and what is there is for the user alone.
  const state = join(shop.home.folder, 'home/state');
  writeFileSync(join(state, 'web-server-9.json'), 'half a no');
  await shop.tenon(['attach', 'nobody-there']);
  expect(readdirSync(state).filter((name) => name.startsWith('web-server'))).toEqual([`web-server-${port}.json`]);
  expect(statSync(join(state, `web-server-${port}.json`)).mode & 0o777).toBe(0o600);
  await client.call('closeSession', { params: { id } });
});

test('a run: its worker is followed, its question answered with a choice, a message sent, and it is found by its name', async () => {
  const body = { task: 'make it fast', cwd: shop.home.work, worker: 'hand', worktree: false, validate: false };
  const { alias } = await client.call('startRun', { body });
  const terminal = attach(alias);
  await terminal.shows('❯ make it fast');
  await terminal.shows('I need to know something.');
  await terminal.shows('Which database?');
  await terminal.rests(1_200);
  terminal.type(KEYS.down);
  await terminal.rests();
  terminal.type(KEYS.enter);
  await terminal.shows('The run is done.');
  expect(terminal.all).toContain('PostgreSQL');
  terminal.type('and one more thing', KEYS.enter);
  await terminal.shows('One more thing is done.');
  await until(() => count(terminal.all, 'The run is done.') === 2);
  terminal.type(KEYS.ctrlC);
  await terminal.shows('Press Ctrl-C again to leave');
  terminal.type(KEYS.ctrlC);
  expect(await terminal.ends()).toBe(0);
});

test('without an id one chooses from what is open; what cannot be opened is told with what to do next', async () => {
  for (const { id, state } of (await client.call('listRuns', {})).runs)
    if (state !== 'done') await client.call('cancelRun', { params: { id } });
  await until(async () => (await client.call('overview', {})).activeRuns === 0);
  expect((await shop.tenon(['attach'])).err).toContain('Nothing is open in the control room');
  shop.model.reply(text('Hello.'), text('Hello.'));
  const [one, two] = [await open(), await open()];
  for (const { id } of [one, two]) {
    await say(id, 'hello');
    await idle(id, 2);
  }
  const terminal = attach();
  await terminal.shows('What do you want to see?');
  await terminal.rests(1_200);
  terminal.type(KEYS.enter);
  await terminal.shows('Say something to its agent');
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ends()).toBe(0);
  for (const { id } of [one, two]) await client.call('closeSession', { params: { id } });

  const tried = async (words: readonly string[], env: Record<string, string> = {}) =>
    (await shop.tenon(['attach', ...words], env)).err;
  expect(await tried(['no-such-thing'])).toContain('no session and no run "no-such-thing"');
  expect(await tried([one.id])).toContain('needs a terminal');
  expect(await tried(['--url', room.url])).toContain('TENON_WEB_TOKEN');
  expect(await tried(['--url', room.url], { TENON_WEB_TOKEN: 'x'.repeat(43) })).toContain('does not accept the token');
  expect(await tried(['--url', 'http://192.0.2.1:7397'], { TENON_WEB_TOKEN: 'x' })).toContain('is not the address');
  expect(await tried(['--url', 'http://127.0.0.1:9'], { TENON_WEB_TOKEN: 'x' })).toContain('does not answer');
  const away = join(shop.home.folder, 'elsewhere');
  expect(await tried([], { TENON_HOME: away })).toMatch(/No control room[^]*tenon web/);
});
