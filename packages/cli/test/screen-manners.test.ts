/** Manners of the screen: the built program on a real pseudo-terminal. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended } from '@tenon/test-kit/program';
import { READY, says as text, ScreenWorld } from '@tenon/test-kit/screen-world';
import { KEYS, type TerminalProgram } from '@tenon/test-kit/terminal-program';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let world: ScreenWorld;
beforeEach(() => (world = new ScreenWorld()));
afterEach(() => world.close());

/** A session with one prompt. Not in one go: the model that answers lives in this process. */
async function say(prompt: string, env: Record<string, string>): Promise<void> {
  const child = world.home.start(['-p', prompt], {
    env: world.home.environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(await ended(child)).toMatchObject({ code: 0 });
}

const hasVim = spawnSync('vim', ['--version']).status === 0;
if (!hasVim) process.stderr.write('SKIPPED: an editor on the screen (vim is not installed)\n');

describe('--resume without an id', () => {
  it('lists the sessions with a search and a preview, and goes on with the one that is taken', async () => {
    const env = await world.withModel(text('About apples.'), text('About pears.'), text('More apples.'));
    for (const word of ['apples', 'pears']) await say(`tell me of ${word}`, env);
    const program = world.open(['--resume'], env);
    await program.shows('Sessions of this folder');
    await program.shows('tell me of pears');
    program.type('apples');
    await program.shows('1/1');
    await program.shows('About apples.');
    program.type(KEYS.enter);
    await program.shows('❯ tell me of apples');
    program.type('more', KEYS.enter);
    await program.shows('More apples.');
    expect(JSON.stringify(world.fake.requests.at(-1)?.body)).toContain('About apples.');
  });

  it('sends the prompt of the command line when the list is closed, into a new session', async () => {
    const env = await world.withModel(text('Old.'), text('Fresh.'));
    await say('the old one', env);
    const program = world.open(['-r', 'a new prompt'], env);
    await program.shows('Sessions of this folder');
    program.type(KEYS.escape);
    await program.shows('Fresh.');
    expect(JSON.stringify(world.fake.requests.at(-1)?.body)).not.toContain('the old one');
  });

  it('needs an id where there is no screen', () => {
    expect(world.home.tenon(['-p', '--resume', 'say what'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('SESSION_ID_EMPTY'),
    });
  });
});

describe('the question about a folder', () => {
  it('has the safe answer first, so that Enter alone trusts nothing', async () => {
    const mark = join(world.home.folder, 'ran');
    const hook = { matcher: '', hooks: [{ type: 'command', command: `touch '${mark}'` }] };
    world.home.put('work/.claude/settings.json', JSON.stringify({ hooks: { SessionStart: [hook] } }));
    const program = world.open();
    await program.shows('Do you trust');
    await program.shows('❯ 1 Do not trust it');
    await program.rests(900);
    program.type(KEYS.enter);
    await program.shows(READY);
    await program.rests();
    expect(existsSync(mark)).toBe(false);
    const file = join(world.home.folder, 'home', 'data', 'trust.json');
    await until(() => existsSync(file), 'the decision');
    expect(readFileSync(file, 'utf8')).toContain('untrusted');
  });
});

it('says at rest that another session waits for an answer, and that it no longer does', async () => {
  const held = {
    content: [{ type: 'toolCall' as const, id: 'c', name: 'bash', arguments: { command: 'git push origin main' } }],
  };
  const env = await world.withModel(held, text('It was held.'));
  const program = world.open([], env);
  await program.shows(READY);
  await program.rests();
  const other = world.home.start(['-p', 'push it'], {
    env: world.home.environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await ended(other);
  await program.shows('1 call of another session waits for an answer');
  expect(world.home.tenon(['approval', 'clear'])).toMatchObject({ code: 0 });
  await program.hides('waits for an answer');
});

describe('the whole terminal', () => {
  it('has the earlier messages of a session above those that it shows first', async () => {
    const prompts = Array.from({ length: 45 }, (_, index) => `prompt number ${index}.`);
    const env = await world.withModel(...prompts.map((_, index) => text(`answer number ${index}.`)));
    const child = world.home.start(['-p', ...prompts], {
      env: world.home.environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(await ended(child)).toMatchObject({ code: 0 });
    const program = world.open(['--fullscreen', '--continue'], env);
    await program.shows('answer number 44.');
    const seen = new Set<string>();
    // Up to the first row, and what is seen on the way.
    await until(async () => {
      await program.rests(150);
      for (const row of program.screen.split('\n')) seen.add(row.trim());
      if (program.screen.includes('prompt number 0.')) return true;
      const before = program.screen;
      program.type('\x1b[5~');
      // On a busy machine the page comes late, and a second key would pass over it.
      for (let looks = 0; program.screen === before && looks < 20; looks += 1) await program.rests(100);
      return false;
    }, 'the first prompt');
    for (const [index, prompt] of prompts.entries()) {
      expect([...seen]).toContain(`❯ ${prompt}`);
      expect([...seen]).toContain(`answer number ${index}.`);
    }
    program.type('\x1b[1;5F');
    await program.shows('answer number 44.');
  });
});

it('takes an image from the clipboard into the draft, apart from the words after it, and sends it', async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC';
  world.home.put('bin/wl-paste', `#!/bin/sh\necho ${png} | base64 -d\n`);
  chmodSync(join(world.home.folder, 'bin', 'wl-paste'), 0o755);
  const env = await world.withModel(text('A picture.'));
  const program = world.open([], env);
  await program.shows(READY);
  await program.rests();
  program.type('\x16');
  await program.shows('[image 1]');
  program.type('what is it', KEYS.enter);
  await program.shows('❯ [image 1] what is it');
  await program.shows('A picture.');
  expect(JSON.stringify(world.fake.requests.at(-1)?.body)).toContain(`"data":"${png}"`);
});

it('suggests its own commands, too, for one that is mistyped', async () => {
  const program = world.open([], await world.withModel());
  await program.shows(READY);
  await program.rests();
  program.type('/theem', KEYS.enter);
  await program.shows('Did you mean "/theme"? /help lists the commands.');
});

it.each([
  ['acp', 'An editor starts this'],
  ['mcp serve', 'A client of MCP starts this'],
])('says on a terminal that `tenon %s` is for other programs, and ends with Ctrl-C at once', async (words, said) => {
  const program = world.open(words.split(' '));
  await program.shows(said);
  program.type(KEYS.ctrlC);
  await program.ends();
});

it('names the providers when `tenon auth login` is given none, and asks for one', async () => {
  const program = world.open(['--set', 'models.credentialStore=file', 'auth', 'login']);
  await program.shows('Log in to which of them?');
  expect(program.all).toMatch(/Providers: .*anthropic, /);
  program.type('antropic', KEYS.enter);
  await program.shows('Did you mean "anthropic"?');
  await program.ends();
});

it('shows the document of a handover once, and without the words that are for the model', async () => {
  const program = world.open([], await world.withModel(text('Hello.'), text('# State\n\nAll is said and done.')));
  await program.shows(READY);
  program.type('hello', KEYS.enter);
  await program.shows('Hello.');
  await program.rests();
  program.type('/handoff', KEYS.enter);
  await program.shows('The work goes on in session');
  await program.rests();
  expect(program.all.split('All is said and done.')).toHaveLength(2);
  expect(program.all).toContain('Handed over by the session before');
  expect(program.all).not.toContain('handoff-context');
});

it('shows the name of the session in the title of the terminal as soon as it has one', async () => {
  const program = world.open([], await world.withModel(text('Hello.')));
  await program.shows(READY);
  program.type('hello', KEYS.enter);
  await program.shows('Hello.');
  program.type('/name login page', KEYS.enter);
  await until(() => program.output.includes('\x1b]0;tenon: work, login page'), 'the title');
});

it('makes one piece of a long paste that comes without brackets and in parts', async () => {
  const env = await world.withModel(text('Got it.'));
  const program = world.open([], env);
  await program.shows(READY);
  await program.rests();
  const lines = Array.from({ length: 400 }, (_, index) => `line ${index} of a text that is pasted`);
  const pasted = lines.join('\r');
  for (let at = 0; at < pasted.length; at += 1000) program.type(pasted.slice(at, at + 1000));
  await program.shows('[paste #1: 400 lines]');
  await program.rests();
  expect(program.screen).not.toContain('paste #2');
  expect(world.fake.requests).toHaveLength(0);
  program.type(KEYS.enter);
  await program.shows('Got it.');
  expect(JSON.stringify(world.fake.requests.at(-1)?.body)).toContain('line 399 of a text');
});

describe('a program with a terminal of its own', () => {
  const calls = (command: string) => ({
    content: [{ type: 'toolCall' as const, id: 'call_1', name: 'bash', arguments: { command, pty: true } }],
  });
  const OPEN = 'ctrl+] leaves it running';

  async function run(command: string): Promise<TerminalProgram> {
    const program = world.open([], await world.withModel(calls(command), text('So be it.')));
    await program.shows(READY);
    program.type('go', KEYS.enter);
    await program.shows(OPEN);
    return program;
  }
  const told = () => JSON.stringify(world.fake.requests.at(-1)?.body);

  it.skipIf(!hasVim)(
    'is an editor: keys, Escape and its own screen work, and the conversation is back behind it',
    async () => {
      const program = await run('vim -u NONE -N made.txt');
      await program.shows('~');
      program.type('i', 'written in vim', KEYS.escape);
      await program.rests();
      program.type(':wq', KEYS.enter);
      await program.shows('So be it.');
      expect(readFileSync(join(world.home.work, 'made.txt'), 'utf8')).toBe('written in vim\n');
      await program.shows(READY);
      await program.shows('❯ go');
    },
  );

  it('takes a password that nobody sees, typed and pasted in brackets', async () => {
    const ask = 'read -r -s -p "$1" answer; echo; printf "%s" "$answer" | cksum';
    const program = await run(`ask() { ${ask}; }; ask "First? "; ask "Second? "`);
    await program.shows('First?');
    program.type('hidden-word', KEYS.enter);
    await program.shows('Second?');
    program.type('\x1b[200~hidden-word\x1b[201~', KEYS.enter);
    await program.shows('So be it.');
    expect(program.output).not.toContain('hidden-word');
    expect(told()).not.toContain('hidden-word');
    // What was pasted is what was typed: a program that knows no brackets gets none.
    const sums = [...told().matchAll(/(\d{6,}) 11/g)].map(([, sum]) => sum);
    expect(sums).toHaveLength(2);
    expect(sums[0]).toBe(sums[1]);
  });

  it('gets Ctrl-C itself, and learns when the window changes its size', async () => {
    const program = await run(
      `trap 'echo caught; exit 3' INT; trap 'stty size' WINCH; echo begun; while :; do sleep 0.1; done`,
    );
    await program.shows('begun');
    program.resize(70, 20);
    // One row is the screen's own.
    await program.shows('19 70');
    program.type(KEYS.ctrlC);
    await program.shows('So be it.');
    expect(told()).toContain('caught');
    await program.shows(READY);
  });

  it('runs on when the user leaves it, and comes back', async () => {
    const program = await run('printf "Your name? "; read name; echo "hello $name"');
    await program.shows('Your name?');
    program.type('\x1d');
    await program.shows('/terminal shows it again');
    program.type('/terminal', KEYS.enter);
    await program.shows(OPEN);
    program.type('Ada', KEYS.enter);
    await program.shows('So be it.');
    expect(told()).toContain('hello Ada');
  });
});
