/** What is tried with each CLI. A case plays the model, drives Tenon's own command line, and checks what came of it. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { keyFor } from './clis.mjs';
import { MARK, wantedSignal } from './model.mjs';

const PATIENCE_MS = 120_000;

/** @typedef {{ cli: import('./clis.mjs').Cli, name: string, world: import('./world.mjs').World, model: import('./model.mjs').ScriptedModel, check: (what: string, holds: unknown, seen?: unknown) => void, note: (text: string) => void }} Place */

let callNumber = 0;

/** A step: the CLI runs a command. */
const shell = (cli, command) => (text) => ({
  content: [
    {
      type: 'toolCall',
      id: `call_${++callNumber}`,
      ...cli.shell(typeof command === 'function' ? command(text) : command),
    },
  ],
});

/** A step: the CLI says this and ends its turn. */
const says = (text) => ({ content: [{ type: 'text', text }] });

/** A step: nothing comes for as long as the connection is open. */
const stalls = { content: [{ type: 'text', text: 'Let me think' }], fault: { kind: 'stall', after: 3 } };

/** A step: the worker says how its session ended, as it was told to: in a file before its last words, or in a block after them. */
const ends = (cli, value, words) => (text, model) => {
  const { session, file } = wantedSignal(text);
  const signal = JSON.stringify({ session, ...value });
  if (file === undefined) return says(`${words}\n\n\`\`\`signal\n${signal}\n\`\`\``);
  model.playsNext(says(words));
  return shell(cli, `printf '%s' '${signal}' > '${file}'`)();
};

const task = (words) => `${MARK}: ${words}`;
const sessionOf = (details, number) => details.sessions.find((session) => session.number === number);

function checkUsage({ check }, what, seen = {}, wanted) {
  const { input, output, cacheRead } = seen;
  const isSame = input === wanted.input && output === wanted.output && cacheRead === wanted.cacheRead;
  check(`${what} is what the model counted`, isSame, { run: { input, output, cacheRead }, model: wanted });
}

async function checkEnd(place, details, { text, state = 'done' }) {
  const { check, world } = place;
  const { state: seen, error } = details.run;
  const why = error === undefined ? '' : `, for it is ${seen}: ${error.message.replaceAll('\n', ' ').slice(0, 200)}`;
  check(`the run is ${state}${why}`, seen === state, { code: details.code });
  if (text !== undefined) check('the result is the answer', details.run.result?.text === text, details.run.result);
  check('the session of the CLI is known', (details.run.cliSession ?? '') !== '', details.run);
  const left = await world.leftovers();
  check('no process is left', left.length === 0, left);
}

/** A tool call, the signal file, the answer. */
async function run(place) {
  const { cli, name, world, model, check } = place;
  model.plays(shell(cli, 'printf hello > made.txt'), ends(cli, { status: 'done' }, 'A file was made.'));
  const details = await world.run(name, ['--sandbox', 'off', ...cli.words, task('make a file')]);
  check('the tool has worked', contentOf(world, 'made.txt') === 'hello', tail(model));
  await checkEnd(place, details, { text: 'A file was made.' });
  check('the CLI ended well', sessionOf(details, 1)?.exitCode === 0, sessionOf(details, 1));
  checkUsage(place, 'the usage', details.run.usage, model.usedSince(0));
  const events = workerEvents(details);
  check(
    'the tool calls are events',
    events.filter(({ type }) => type === 'tool-start').length === model.calls.length - 1,
    events.map(({ type }) => type),
  );
  check(
    'their ends, too',
    events.filter(({ type }) => type === 'tool-end').length === model.calls.length - 1,
    events.map(({ type }) => type),
  );
}

/** Ends with the CLI's own last event, then goes on with the same conversation. */
async function resume(place) {
  const { cli, name, world, model, check } = place;
  model.plays(says('The word is heron.'));
  const first = await world.run(name, ['--sandbox', 'off', ...cli.words, task('say a word')]);
  check(
    'without a signal the answer of the CLI counts',
    first.run.result?.text.trim() === 'The word is heron.',
    first.run,
  );
  model.plays(says('I said heron.'));
  const { code, err } = await world.tenon([
    'runs',
    'send',
    first.run.alias,
    'Which word was it?',
    '--follow',
    '--json',
  ]);
  check('the message is sent', code === 0, err);
  const details = await world.show(first.run.alias);
  await checkEnd(place, details, { text: undefined });
  check('the answer to the message is the result', details.run.result?.text.trim() === 'I said heron.', details.run);
  check(
    'the CLI has gone on with its session',
    sessionOf(details, 2)?.resumes === first.run.cliSession,
    details.sessions,
  );
  check(
    'the model sees both',
    ['The word is heron.', 'Which word was it?'].every((part) => model.calls.at(-1)?.text.includes(part)),
    tail(model),
  );
  checkUsage(place, 'the usage of the second session', sessionOf(details, 2)?.usage, model.usedSince(1));
}

/** The same in the sandbox: the project may be changed, the home folder and other hosts are out of reach. */
async function sandbox(place) {
  const { cli, name, world, model, check, host } = place;
  const login = name === 'gemini' ? '.codex/auth.json' : '.gemini/oauth_creds.json';
  world.write(login, 'a secret of another CLI');
  let visits = 0;
  const other = createServer((socket) => {
    visits++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const attempts = [
    'printf hello > made.txt',
    `printf x > '${world.home}/outside.txt'`,
    `cat '${world.home}/${login}' > seen.txt`,
    `bash -c ': < /dev/tcp/127.0.0.1/${other.address().port}'`,
    ...cli.closed.map((path) => `printf evil > '${world.home}/${path}'`),
    'true',
  ];
  model.plays(shell(cli, attempts.join('; ')), ends(cli, { status: 'done' }, 'In the box.'));
  const { code, err } = await world.tenon(['config', 'set', 'sandbox.network.allow', JSON.stringify([host])]);
  check('the setting is taken', code === 0, err);
  const details = await world.run(name, ['--sandbox', 'auto', ...cli.words, task('make a file')]);
  check('there is a sandbox', !details.run.sandbox.startsWith('off'), details.run.sandbox);
  check('the tool has worked', contentOf(world, 'made.txt') === 'hello', {
    calls: tail(model),
    events: workerEvents(details).slice(-4),
  });
  check('nothing is written outside', !existsSync(join(world.home, 'outside.txt')));
  check(
    'logins of other CLIs are hidden',
    contentOf(world, 'seen.txt') !== 'a secret of another CLI',
    contentOf(world, 'seen.txt'),
  );
  const changed = cli.closed.filter((path) => homeFile(world, path)?.includes('evil'));
  check("settings, hooks and plugins of the user's own are as they were", changed.length === 0, changed);
  check('other servers are out of reach', visits === 0, visits);
  other.close();
  await checkEnd(place, details, { text: 'In the box.' });
  checkUsage(place, 'the usage', details.run.usage, model.usedSince(0));
  model.plays(says('Still here.'));
  const again = await world.tenon(['runs', 'send', details.run.alias, 'Are you there?', '--follow', '--json']);
  const after = await world.show(details.run.alias);
  check(
    'the session goes on in the sandbox',
    again.code === 0 && after.run.result?.text.trim() === 'Still here.',
    after.run,
  );
}

/** The worker asks, a person answers, it goes on in the same conversation. */
async function question(place) {
  const { cli, name, world, model, check } = place;
  const questions = [{ id: 'colour', text: 'Which colour?', options: ['blue', 'red'] }];
  model.plays(ends(cli, { status: 'questions', questions }, 'I have asked.'));
  const asked = await world.run(name, ['--sandbox', 'off', ...cli.words, task('paint the house')]);
  check('the run waits', asked.run.state === 'waiting' && asked.code === 3, {
    state: asked.run.state,
    error: asked.run.error,
    code: asked.code,
  });
  check('the question is there', asked.questions[0]?.text === 'Which colour?', asked.questions);
  model.plays(ends(cli, { status: 'done' }, 'It is blue.'));
  const before = model.calls.length;
  const { code, err } = await world.tenon(['runs', 'answer', asked.run.alias, 'colour=blue', '--follow', '--json']);
  check('the answer is taken', code === 0, err);
  const details = await world.show(asked.run.alias);
  await checkEnd(place, details, { text: 'It is blue.' });
  check('the model reads the answer', model.calls[before]?.text.includes('blue'), tail(model));
  check('it is the same conversation', sessionOf(details, 2)?.resumes === asked.run.cliSession, details.sessions);
  checkUsage(place, 'the usage of the second session', sessionOf(details, 2)?.usage, model.usedSince(before));
}

/** A key that is refused. */
async function unauthorized(place) {
  const { cli, name, world, model, check } = place;
  model.refused.set(keyFor(name, 'good'), { status: 401, message: 'invalid api key' });
  const details = await world.run(name, ['--sandbox', 'off', ...cli.words, task('say a word')]);
  const { state, error, diagnostics } = details.run;
  check('the run has failed', state === 'failed' && details.code === 1, { state, code: details.code });
  check('because of the key', error?.fault === 'auth', error);
  check('the error says so', /401|api key|unauthor|authenti/i.test(error?.message ?? ''), error);
  check(
    'the diagnostics say so',
    diagnostics?.checks.find(({ id }) => id === 'key-valid')?.status === 'fail',
    diagnostics,
  );
  const left = await world.leftovers();
  check('no process is left', left.length === 0, left);
}

/** One account is used up, another takes over. */
async function failover(place) {
  const { cli, name, world, model, check } = place;
  const ids = [];
  for (const kind of ['limited', 'good']) {
    const { out, err } = await world.tenon(['account', 'add', cli.vendor, '--label', kind, '--stdin', '--json'], {
      input: keyFor(name, kind),
    });
    check(`the account "${kind}" is added`, out.includes('"id"'), err);
    ids.push(JSON.parse(out || '{}').id);
  }
  model.refused.set(keyFor(name, 'limited'), {
    status: 429,
    headers: { 'retry-after': '1' },
    message: 'rate limit reached',
  });
  model.plays(says('The other one helps.'));
  const details = await world.run(name, ['--sandbox', 'off', ...cli.words, task('say a word')]);
  const switched = details.news.flatMap(({ event }) => (event?.what.type === 'account-switched' ? [event.what] : []));
  check(
    'the account was switched once',
    switched.length === 1 && switched[0]?.from === ids[0] && switched[0]?.to === ids[1],
    { switched, sessions: details.sessions },
  );
  check(
    'both keys were seen by the model',
    [...model.keys].join() === [keyFor(name, 'limited'), keyFor(name, 'good')].join(),
    [...model.keys],
  );
  await checkEnd(place, details, { text: undefined });
  check('the second has answered', details.run.result?.text.trim() === 'The other one helps.', details.run);
  const { out } = await world.tenon(['account', 'list', '--json']);
  const limited = JSON.parse(out || '{}').accounts?.find(({ id }) => id === ids[0]);
  check('the first rests', limited?.exhaustedUntil !== undefined, limited);
}

/** Stopped while a tool runs; tried again, it is warned. */
async function cancel(place) {
  const { cli, name, world, model, check, note } = place;
  model.plays(shell(cli, "sh -c 'sleep 7531; echo over'"));
  const alias = await world.start(name, ['--sandbox', 'off', ...cli.words, task('sleep long')]);
  await tool(place, alias, '7531');
  const { code, err } = await world.tenon(['runs', 'cancel', alias]);
  check('cancel is taken', code === 0, err);
  const details = await world.until(alias, ['cancelled', 'failed', 'done']);
  await checkEnd(place, details, { state: 'cancelled' });
  model.plays(ends(cli, { status: 'done' }, 'At last.'));
  const before = model.calls.length;
  const again = await world.tenon(['runs', 'retry', alias, '--follow', '--json']);
  const after = await world.show(alias);
  check('a retry ends well', again.code === 0 && after.run.result?.text === 'At last.', {
    run: after.run,
    err: again.err,
  });
  if (cli.toolsAreToldLate && !cli.cutToolsAreTold)
    note('It tells of a tool call when the tool has ended: a retry cannot warn of one that was cut off.');
  else
    check(
      'it is warned of the tool',
      /Earlier attempts at this task/.test(model.calls[before]?.text ?? ''),
      tail(model),
    );
}

/** The CLI is killed while a tool runs. */
async function kill(place) {
  const { cli, name, world, model, check } = place;
  model.plays(shell(cli, "sh -c 'sleep 7532; echo over'"));
  const alias = await world.start(name, ['--sandbox', 'off', ...cli.words, task('sleep long')]);
  await tool(place, alias, '7532');
  const victims = world
    .processes()
    .filter(
      ({ isWorker, words }) =>
        isWorker && words.includes(name) && !words.includes('launcher') && !words.includes('7532'),
    );
  check('the CLI is found', victims.length > 0, world.processes());
  for (const { pid } of victims) process.kill(pid, 'SIGKILL');
  const details = await world.until(alias, ['failed', 'cancelled', 'done']);
  check('the run has failed', details.run.state === 'failed', details.run);
  check('the error says that it was killed', details.run.error?.fault === 'killed', details.run.error);
  const left = await world.leftovers();
  check('the tool is not left', left.length === 0, left);
}

/** A person takes over between two tool calls, leaves, and the run goes on. */
async function hijack(place) {
  const { cli, name, world, model, check, note } = place;
  model.plays(shell(cli, "sh -c 'sleep 4.753; printf hello > made.txt'"), stalls);
  const alias = await world.start(name, ['--sandbox', 'off', ...cli.words, task('work slowly')]);
  await tool(place, alias, '4.753');
  const screen = world.terminal(['hijack', alias]);
  try {
    if (cli.firstQuestion !== undefined) {
      await screen.shows(cli.firstQuestion, PATIENCE_MS);
      screen.type('\r');
    }
    await screen.shows(cli.ready, PATIENCE_MS);
    await screen.until(() => screen.lines(true).join('\n').includes(MARK), 'the conversation', PATIENCE_MS);
    if (cli.toolsAreToldLate)
      note('It tells of a tool call when the tool has ended: a person who takes over may cut one off.');
    else check('the tool was not interrupted', contentOf(world, 'made.txt') === 'hello');
    const { run: taken } = await world.show(alias);
    check('the run is taken over', taken.state === 'hijacked', taken);
    await screen.rests(1_500, 20_000);
    model.forgets();
    model.plays(ends(cli, { status: 'done' }, 'Finished alone.'));
    // Keys that come while a screen is being drawn get lost in some of them.
    for (let round = 0; round < 3 && !screen.hasEnded; round++)
      for (const keys of cli.leave) {
        screen.type(keys);
        await sleep(1_000);
      }
    await screen.until(() => screen.hasEnded, 'the end', PATIENCE_MS);
    check(
      'the run goes on by itself',
      screen.lines(true).join('\n').includes('goes on by itself'),
      screen.lines(true).filter(Boolean).slice(-12),
    );
    const details = await world.until(alias, ['done', 'failed', 'cancelled', 'waiting']);
    await checkEnd(place, details, { text: 'Finished alone.' });
    check('in the same conversation', sessionOf(details, 2)?.resumes === details.run.cliSession, details.sessions);
  } finally {
    await screen.end();
  }
}

/** Waits until a tool of the worker runs. @param {Place} place @param {string} alias @param {string} word of its command line */
async function tool({ world }, alias, word) {
  const isThere = () => world.processes().some(({ words }) => words.startsWith('sleep') && words.includes(word));
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(300)) {
    if (isThere()) return;
    const { run: now } = await world.show(alias);
    if (['done', 'failed', 'waiting'].includes(now.state)) break;
  }
  const { out } = await world.tenon(['runs', 'logs', alias]);
  throw new Error(`the tool does not run: ${out.slice(-900)}`);
}

const textIn = (folder, path) => {
  const file = join(folder, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};
const contentOf = ({ work }, path) => textIn(work, path);
const homeFile = ({ home }, path) => textIn(home, path);
const workerEvents = ({ news }) =>
  news.flatMap(({ event }) => (event?.what.type === 'worker' ? [event.what.event] : []));
const tail = ({ calls }) => calls.at(-1)?.text.slice(-700);

/** All cases, in the order of the table. */
export const CASES = {
  run: { title: 'a task with a tool call, done by signal', play: run },
  resume: { title: 'done without a signal; a message goes on with the session', play: resume },
  sandbox: { title: 'the same in the sandbox, also resumed', play: sandbox },
  question: { title: 'question and answer', play: question },
  unauthorized: { title: '401', play: unauthorized },
  failover: { title: '429, then another account', play: failover },
  cancel: { title: 'cancelled while a tool runs; tried again', play: cancel },
  kill: { title: 'killed while a tool runs', play: kill },
  hijack: { title: 'taken over in a terminal, then goes on', play: hijack },
};
