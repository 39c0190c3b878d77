import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { jobs } from '@tenon/jobs/api';
import { sessionShutdown } from '@tenon/agent/api';
import { toolRunner } from '@tenon/tools/api';
import { isAlive } from '@tenon/test-kit/processes';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textOf, type Workbench } from '@tenon/test-kit/workbench';
import { openShellBench } from './shell-bench.ts';

let bench: Workbench;
beforeEach(
  async () =>
    void (bench = await openShellBench({
      files: { 'src/a.txt': 'x' },
      settings: { 'shell-tools': { backgroundAfterSeconds: 1 }, jobs: { maxRunning: 2, pollSeconds: 10 } },
    })),
);
afterEach(() => bench.dispose());

const pidIn = (text: string) => Number(/pid (\d+)/.exec(text)?.[1]);

describe('a command with `async`', () => {
  it('runs as a job, in the folder and with the state of the session, which it does not change', async () => {
    await bench.ok('bash', { command: 'cd src; word=hello; say() { echo "$word from $PWD"; }' });
    const result = await bench.run('bash', { command: 'say; word=changed; cd /', async: true });
    expect(textOf(result)).toMatch(/^Background job bash-1 started: say; word=changed; cd \/\nYou are told/);
    expect(result.details).toEqual({ async: { state: 'running', jobId: 'bash-1', type: 'bash' } });
    expect(await bench.ok('job', { poll: ['bash-1'] })).toMatch(
      new RegExp(`^## Completed \\(1\\)\\n### bash-1 .*: completed\\nhello from ${bench.path('src')}$`),
    );
    expect(await bench.ok('bash', { command: 'say' })).toBe(`hello from ${bench.path('src')}`);
  });

  it('leaves the shell free, shows its output while it runs, and can be cancelled with all it started', async () => {
    await bench.ok('bash', { command: 'sleep 300 & echo "pid $!"; wait', async: true });
    expect(await bench.ok('bash', { command: 'echo free' })).toMatch(/^free/);
    const table = await bench.kernel.find(jobs);
    await expect.poll(() => table.get('one', 'bash-1')?.resultText).toMatch(/^pid \d+/);
    const pid = pidIn(table.get('one', 'bash-1')?.resultText ?? '');
    expect(isAlive(pid)).toBe(true);
    expect(await bench.ok('job', { cancel: ['bash-1'] })).toMatch(/bash-1: cancelled/);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('fails as a job when it fails, and has no time limit but the one it asks for', async () => {
    await bench.ok('bash', { command: 'echo almost; exit 3', async: true });
    expect(await bench.ok('job', {})).toMatch(/bash-1 .*: failed\nalmost\n\nCommand exited with code 3$/);
    await bench.ok('bash', { command: 'sleep 30', async: true, timeout: 1 });
    expect(await bench.ok('job', {})).toMatch(/bash-2 .*: failed\n[\s\S]*timed out after 1 seconds/);
  });

  it('is refused when there are too many, and where there is no session', async () => {
    await bench.ok('bash', { command: 'sleep 30', async: true });
    await bench.ok('bash', { command: 'sleep 30', async: true });
    expect(await bench.fails('bash', { command: 'sleep 30', async: true })).toMatch(/already 2 background jobs/);
    const runner = await bench.kernel.find(toolRunner);
    expect(textOf(await runner.run('bash', { command: 'true', async: true }))).toMatch(/belongs to no session/);
    expect(await bench.fails('bash', { command: 'true', async: true, pty: true })).toMatch(/no terminal/);
  });

  it('ends with its session', async () => {
    await bench.ok('bash', { command: 'sleep 300 & echo "pid $!"; wait', async: true });
    const table = await bench.kernel.find(jobs);
    await expect.poll(() => table.get('one', 'bash-1')?.resultText).toMatch(/^pid \d+/);
    const pid = pidIn(table.get('one', 'bash-1')?.resultText ?? '');
    const mine = pidIn(await bench.ok('bash', { command: 'sleep 300 & echo "pid $!"' }));
    await bench.kernel.run(sessionShutdown, { session: 'one', cwd: bench.root });
    await expect.poll(() => [isAlive(pid), isAlive(mine)]).toEqual([false, false]);
  });
});

describe('calls at the same time', () => {
  it('run one after the other in the shell of the session; one that is aborted while it waits never runs', async () => {
    // On a busy machine also a short command takes a second, after which the others here go on as jobs.
    await bench.dispose();
    bench = await openShellBench({ files: { 'src/a.txt': 'x' } });
    const controller = new AbortController();
    const first = bench.ok('bash', { command: 'touch begun; sleep 0.3; word=set' });
    // Before it has the shell, a later call could overtake it.
    await until(() => existsSync(bench.path('begun')), 'the start of the first command');
    const second = bench.run('bash', { command: 'touch never' }, { signal: controller.signal });
    const third = bench.ok('bash', { command: 'echo "$word"; ls' });
    controller.abort(new Error('not any more'));
    await expect(second).rejects.toThrow('not any more');
    await first;
    expect(await third).toBe('set\nbegun\nsrc');
  });
});

describe('a command that takes long', () => {
  it('goes on as a job; the next one has a shell with the state from before it', async () => {
    await bench.ok('bash', { command: 'cd src; word=before' });
    const result = await bench.run('bash', { command: 'word=during; echo begun; sleep 2.5; echo "ended in $PWD"' });
    expect(textOf(result)).toMatch(/^begun\n\nBackground job bash-1 started: word=during; echo begun/);
    expect(result.details).toEqual({ async: { state: 'running', jobId: 'bash-1', type: 'bash' } });
    expect(await bench.ok('bash', { command: 'echo "$word $PWD"' })).toMatch(`before ${bench.path('src')}`);
    expect(await bench.ok('job', {})).toMatch(`begun\nended in ${bench.path('src')}`);
    expect(await bench.ok('bash', { command: 'echo "$word"' })).toBe('before');
  });

  it('gives the shell back when nothing else has run meanwhile', async () => {
    await bench.ok('bash', { command: 'word=before; sleep 1.5; word=after' });
    expect(await bench.ok('job', {})).toMatch(/bash-1 .*: completed/);
    await sleep(50);
    expect(await bench.ok('bash', { command: 'echo "$word"' })).toBe('after');
  });

  it('keeps what earlier commands left running', async () => {
    const pid = pidIn(await bench.ok('bash', { command: 'sleep 300 & echo "pid $!"' }));
    await bench.ok('bash', { command: 'sleep 1.5' });
    await bench.ok('bash', { command: 'true' });
    await bench.ok('job', {});
    expect(await bench.ok('bash', { command: 'true' })).toMatch(`[Still running in the background: ${pid} sleep 300]`);
    expect(isAlive(pid)).toBe(true);
  });

  it('names what is left running, also what is no program of its own or only becomes one later', async () => {
    const started = await bench.ok('bash', { command: '(sleep 300; true) & (sleep 0.05; exec sleep 301) &' });
    expect(started).toMatch(/\[Still running in the background: /);
    for (const name of ['(commands)', 'sleep 300', 'sleep 301']) expect(started).toContain(name);
    expect(started).not.toContain('bash');
  });

  it('survives the end of the run that started it', async () => {
    const controller = new AbortController();
    const result = await bench.run('bash', { command: 'sleep 1.6; echo done' }, { signal: controller.signal });
    expect(textOf(result)).toMatch(/Background job bash-1 started/);
    controller.abort(new Error('the user stopped the agent'));
    expect(await bench.ok('job', {})).toMatch(/bash-1 .*: completed\ndone$/);
  });

  it('stays when its time limit comes first, or when there are too many jobs', async () => {
    expect(await bench.fails('bash', { command: 'sleep 5', timeout: 1 })).toMatch(/timed out after 1 seconds/);
    await bench.ok('bash', { command: 'sleep 30', async: true });
    await bench.ok('bash', { command: 'sleep 30', async: true });
    expect(await bench.ok('bash', { command: 'sleep 1.3; echo stayed' })).toMatch(/^stayed/);
  });

  it('stays in a call by hand', async () => {
    const runner = await bench.kernel.find(toolRunner);
    expect(textOf(await runner.run('bash', { command: 'sleep 1.2; echo stayed' }))).toBe('stayed');
  });
});
