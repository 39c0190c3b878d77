/** Runs of workers in the built program: Tenon itself as the worker, and a CLI that settings describe. Nothing else is installed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith } from '@tenon/test-kit/processes';
import { converse } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** A CLI that prints text: it asks when it is told to, goes on with the answer, and can be slow. */
const CLI = `#!/bin/sh
task="$*"
session=$(printf '%s' "$task" | grep -o '"session": [0-9]*' | tail -1 | grep -o '[0-9]*')
signal() { printf '\\n\\n\`\`\`signal\\n%s\\n\`\`\`\\n' "$1"; }
case "$task" in
  *"answers to your questions"*) echo "I use what you said."; printf '%s' "$task" > heard.txt; signal "{\\"session\\": $session, \\"status\\": \\"done\\"}";;
  *"ask first"*) echo "I need to know something."; signal "{\\"session\\": $session, \\"status\\": \\"questions\\", \\"questions\\": [{\\"id\\": \\"db\\", \\"text\\": \\"Which database?\\"}]}";;
  *"be slow"*) echo begun; sleep 300 & echo $! > child.pid; wait;;
  *) echo "made by the worker" > made.txt; echo "I have made a file."; signal "{\\"session\\": $session, \\"status\\": \\"done\\"}";;
esac
`;

let shop: Workshop;
beforeEach(async () => {
  shop = await openWorkshop();
  shop.home.put('bin/hand', CLI);
  const program = join(shop.home.folder, 'bin/hand');
  (await import('node:fs')).chmodSync(program, 0o755);
  const settings = JSON.parse(readFileSync(shop.home.settings, 'utf8')) as Record<string, unknown>;
  const hand = { program, args: ['{prompt}'], output: 'text', versionArgs: ['--version'] };
  shop.home.put('home/config/settings.yml', JSON.stringify({ ...settings, workers: { custom: { hand } } }));
});
afterEach(async () => {
  for (const { alias, state } of await runs())
    if (!['done', 'failed', 'cancelled'].includes(state)) await shop.tenon(['runs', 'cancel', alias]);
  await until(async () => (await runs()).every(({ state }) => ['done', 'failed', 'cancelled'].includes(state)));
  await until(() => keepers().length === 0);
  await shop.close();
});

interface ListedRun {
  readonly alias: string;
  readonly state: string;
  readonly folder: string;
  readonly result?: { readonly text: string };
  readonly validation?: { readonly state: string };
}

async function runs(): Promise<readonly ListedRun[]> {
  const { out } = await shop.tenon(['runs', 'list', '--all', '--json']);
  return (JSON.parse(out) as { runs: ListedRun[] }).runs;
}

/** Processes that keep the runs of this test. */
const keepers = () => processesWith(shop.home.folder, 'runs\0keep');

const only = async () => (await runs())[0] ?? { alias: '', state: 'none', folder: '' };

describe('Tenon itself as the worker', () => {
  it('works in a worktree without a key, is validated, and its change can be taken over', async () => {
    shop.home.put('work/package.json', '{ "name": "shop", "scripts": { "test": "test -f hello.txt" } }');
    shop.git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-qam', 'test');
    const task = 'create a file hello.txt with "hello"';
    const flags = ['--worker', 'tenon', '--worktree', 'true', '--model', 'offline/rules'];
    const { code, out, err } = await shop.tenon(['run', task, ...flags]);
    expect([code, out], err).toEqual([0, expect.stringContaining('hello.txt')]);
    expect(err).toContain('Validation: passed');
    expect(existsSync(join(shop.home.work, 'hello.txt'))).toBe(false);
    const run = await only();
    expect(run).toMatchObject({ state: 'done', validation: { state: 'passed' } });
    const applied = await shop.tenon(['runs', 'apply', run.alias]);
    expect(applied.out).toContain('1 file of');
    expect(readFileSync(join(shop.home.work, 'hello.txt'), 'utf8')).toContain('hello');
    expect((await shop.tenon(['runs', 'logs', run.alias])).out).toContain('• write hello.txt');
    expect((await shop.tenon(['hijack', run.alias, '--no-launch'])).out).toMatch(/^cd .* --resume /);
    const removed = await shop.tenon(['runs', 'remove', run.alias]);
    expect(removed.out).toContain('stays:');
    expect(await runs()).toEqual([]);
  });

  it('says with its own exit code that it needs a real model', async () => {
    const { code, err } = await shop.tenon([
      'run',
      'explain quantum physics',
      '--worker',
      'tenon',
      '--model',
      'offline/rules',
    ]);
    expect(code).toBe(1);
    expect(err).toContain('needs a real model');
  });
});

describe('a CLI that settings describe', () => {
  it('asks, waits for the answer, and goes on in the same folder', async () => {
    const { code, err } = await shop.tenon(['run', 'ask first', '--worker', 'hand', '--worktree', 'true']);
    expect([code, err]).toEqual([3, expect.stringContaining('? db: Which database?')]);
    const { alias } = await only();
    const answered = await shop.tenon(['runs', 'answer', alias, 'db=sqlite', '--follow']);
    expect([answered.code, answered.out], answered.err).toEqual([0, 'I use what you said.\n']);
    const run = await only();
    expect(run.result?.text).toBe('I use what you said.');
    expect(readFileSync(join(run.folder, 'heard.txt'), 'utf8')).toMatch(/\*\*Which database\?\*\*\nsqlite/);
  });

  it('goes on when the terminal is gone, and is stopped with all that it has started', async () => {
    const started = await shop.tenon([
      'run',
      'be slow',
      '--worker',
      'hand',
      '--worktree',
      'false',
      '--sandbox',
      'off',
      '-d',
    ]);
    expect(started.out).toMatch(/^[a-z]+-[a-z]+ was started \(hand\)/);
    const { alias } = await only();
    const file = join(shop.home.work, 'child.pid');
    await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
    const child = readFileSync(file, 'utf8').trim();
    expect(existsSync(`/proc/${child}`)).toBe(true);
    expect((await shop.tenon(['runs', 'cancel', alias])).code).toBe(0);
    await until(async () => (await only()).state === 'cancelled');
    await until(() => !existsSync(`/proc/${child}`));
  });

  it('is refused with what to do next when the command line is wrong', async () => {
    const tried = async (...words: string[]) => (await shop.tenon(['run', ...words])).err;
    expect(await tried('x', '--worker', 'claud')).toContain('Did you mean "claude"?');
    expect(await tried('x', '--worker', 'hand', '--timeout', 'soon')).toContain('--timeout soon: it is not a time');
    expect(await tried('x', '--worker', 'hand', '--option', 'a=1')).toContain('The option "a" of the worker hand');
    expect((await shop.tenon(['runs', 'show', 'no-body'])).err).toContain('There is no run "no-body"');
    expect(await runs()).toEqual([]);
  });
});

describe("Tenon's own agent", () => {
  const call = (input: object, says: RegExp, fails = false) => ({ tool: 'code_with_agent', input, says, fails });

  it('gives work to a worker and gets its answer', async () => {
    const steps = [
      {
        say: 'I ask another.',
        calls: [call({ task: 'make it', agent: 'hand', worktree: true }, /I have made a file/)],
      },
    ];
    const flags = ['--no-session', '--yolo', '--tools', 'code_with_agent'];
    const { results, code, err } = await converse(shop, steps, { prompt: 'Delegate.', last: 'Done.', flags });
    expect([code, results[0]?.isError], JSON.stringify(results) + err).toEqual([0, false]);
    expect(results[0]?.text).toContain('tenon runs apply');
    expect(existsSync(join(shop.home.work, 'made.txt'))).toBe(false);
    expect(readFileSync(join((await only()).folder, 'made.txt'), 'utf8')).toBe('made by the worker\n');
  });

  it('must ask before that, and cannot start one from its shell', async () => {
    const steps = [
      { say: 'I ask another.', calls: [call({ task: 'make it', agent: 'hand' }, /approval/, true)] },
      {
        say: 'Then so.',
        calls: [{ tool: 'bash', input: { command: 'tenon run "make it" --worker hand' }, says: /./, fails: true }],
      },
    ];
    await converse(shop, steps, {
      prompt: 'Delegate.',
      last: 'Done.',
      flags: ['--no-session', '--tools', 'code_with_agent,bash'],
    });
    expect(await runs()).toEqual([]);
  });
});
