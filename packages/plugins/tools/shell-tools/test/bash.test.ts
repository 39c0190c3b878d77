import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pluginContract } from '@tenon/kernel/testing';
import { loadAccelerator } from '@tenon/native';
import { toolRunner, type ToolResult } from '@tenon/tools/api';
import { isAlive } from '@tenon/test-kit/processes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { surroundings, textOf, type Workbench } from '@tenon/test-kit/workbench';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';
import { agentHooks, openShellBench } from './shell-bench.ts';

let bench: Workbench;
beforeEach(async () => void (bench = await openShellBench({ files: { 'src/a.txt': 'x' } })));
afterEach(() => bench.dispose());

describe('shell-tools', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({
      source,
      plugin,
      others: await surroundings(agentHooks, 'jobs'),
    });
  });
});

describe('bash', () => {
  it('gives output of both streams in order, or says that there was none', async () => {
    expect(await bench.ok('bash', { command: 'echo one; echo two >&2; echo three' })).toBe('one\ntwo\nthree');
    expect(await bench.ok('bash', { command: 'true' })).toBe('(no output)');
  });

  it('keeps variables and functions within a session, and sessions apart', async () => {
    await bench.ok('bash', { command: 'greeting=hello; greet() { echo "$greeting $1"; }' });
    expect(await bench.ok('bash', { command: 'greet you' })).toBe('hello you');
    expect(await bench.fails('bash', { command: 'greet you' }, 'two')).toMatch(/command not found[\s\S]*code 127$/);
  });

  it('stays in the folder that a command went to, but not in the one of `cwd`', async () => {
    expect(await bench.ok('bash', { command: 'cd src' })).toBe('(no output)\n\n[Now in src]');
    expect(await bench.ok('bash', { command: 'pwd' })).toBe(bench.path('src'));
    expect(await bench.ok('bash', { command: 'pwd', cwd: '.' })).toBe(bench.root);
    expect(await bench.ok('bash', { command: 'pwd; cd - >/dev/null' })).toBe(`${bench.path('src')}\n\n[Now in .]`);
    expect(await bench.ok('bash', { command: 'pwd' }, 'two')).toBe(bench.root);
  });

  it('lifts `cd x &&` where that means the same', async () => {
    expect(await bench.ok('bash', { command: 'cd src && pwd' })).toBe(`${bench.path('src')}\n\n[Now in src]`);
    expect(await bench.ok('bash', { command: 'cd .. && ls && pwd' })).toBe(`src\n${bench.root}\n\n[Now in .]`);
    expect(await bench.ok('bash', { command: 'cd src && true & wait; pwd' })).toMatch(
      new RegExp(`^${bench.root}$`, 'm'),
    );
    await bench.ok('bash', { command: 'cd src' });
    expect(await bench.fails('bash', { command: 'cd src && pwd' })).toMatch(
      /src: No such file[\s\S]*\[The shell was in src; `cd` starts from there\.\][\s\S]*code 1$/,
    );
  });

  it('goes back to the project folder when its own is gone', async () => {
    await bench.ok('bash', { command: 'mkdir gone && cd gone && rmdir ../gone' });
    expect(await bench.ok('bash', { command: 'pwd' })).toBe(
      `${bench.root}\n\n[The folder gone is gone; the shell is back in the project folder.]\n\n[Now in .]`,
    );
  });

  it('passes variables to one command only', async () => {
    expect(await bench.ok('bash', { command: 'echo "$COLOUR"', env: { COLOUR: 'a "b" $c' } })).toBe('a "b" $c');
    expect(await bench.ok('bash', { command: 'echo "<$COLOUR>"' })).toBe('<>');
    expect(await bench.fails('bash', { command: 'x', env: { '1X': '' } })).toMatch(/Invalid bash env name: 1X/);
  });

  it('makes a failure of a non-zero exit, with the output', async () => {
    const result = await bench.run('bash', { command: 'echo before; exit 3' });
    expect(result).toMatchObject({ isError: true, details: { exitCode: 3, outcome: 'exited' } });
    expect(textOf(result)).toBe('before\n\nCommand exited with code 3');
    expect(await bench.ok('bash', { command: 'echo alive' })).toBe('alive');
  });

  it.each([
    [{ command: 'true', cwd: 'gone' }, /Working directory does not exist: gone/],
    [{ command: 'true', cwd: 'src/a.txt' }, /is not a directory: src\/a\.txt/],
    [{ command: '  ' }, /command is empty/],
  ])('refuses %j', async (input, message) => {
    expect(await bench.fails('bash', input)).toMatch(message);
  });

  it('stops a command at its time limit with everything it started, and goes on', async () => {
    const result = await bench.run('bash', { command: 'sleep 100 & echo $!; sleep 200', timeout: 1 });
    expect(textOf(result)).toMatch(/^\d+\n\nCommand timed out after 1 seconds/);
    expect(result).toMatchObject({ isError: true, details: { outcome: 'timed-out', exitCode: null } });
    expect(isAlive(Number.parseInt(textOf(result), 10))).toBe(false);
    expect(await bench.ok('bash', { command: 'echo alive' })).toBe('alive');
  });

  it('kills the whole tree when the call is aborted', async () => {
    const controller = new AbortController();
    const updates: ToolResult[] = [];
    const run = bench.run(
      'bash',
      { command: 'bash -c "trap \'\' INT TERM; sleep 300" & echo pid $!; wait' },
      { signal: controller.signal, updates },
    );
    while (updates.length === 0) await sleep(10);
    const pid = Number(/pid (\d+)/.exec(textOf(updates[0]!))![1]);
    expect(isAlive(pid)).toBe(true);
    controller.abort(new Error('stopped'));
    await expect(run).rejects.toThrow('stopped');
    expect(isAlive(pid)).toBe(false);
  });

  it('clamps time limits and says so', async () => {
    const result = await bench.run('bash', { command: 'echo hi', timeout: 99_999 });
    expect(result.details).toMatchObject({ timeoutSeconds: 3600, requestedTimeoutSeconds: 99_999 });
    expect(textOf(result)).toMatch(/Timeout set to 3600s/);
  });

  it('shows the first or the last lines on request', async () => {
    expect(await bench.ok('bash', { command: 'seq 100', head: 2 })).toBe('1\n2\n\n[Showing lines 1-2 of 100.]');
    expect(await bench.ok('bash', { command: 'seq 100', tail: 2 })).toBe('99\n100\n\n[Showing lines 99-100 of 100.]');
    expect(await bench.ok('bash', { command: 'seq 100', head: 10, tail: 1 })).toBe(
      '10\n\n[Showing lines 10-10 of 100.]',
    );
    expect(await bench.ok('bash', { command: 'seq 3', tail: 10 })).toBe('1\n2\n3');
  });

  it('shows the end of long output and keeps all of it in an artifact', async () => {
    const result = await bench.run('bash', { command: 'seq 200000' });
    const text = textOf(result);
    expect(Buffer.byteLength(text)).toBeLessThan(52 * 1024);
    expect(text).toMatch(
      /\n200000\n\n\[Showing lines \d+-200000 of 200000 \(1\.2MB in all\)\. Full: artifact:\/\/0\]$/,
    );
    const first = Number.parseInt(text, 10);
    expect(text).toContain(`lines ${first}-200000`);
    expect(result.details).toMatchObject({
      meta: { truncation: { artifactId: '0', totalLines: 200_000, direction: 'tail' } },
    });
    const file = readFileSync(`${bench.home}/artifacts-one/0.log`, 'utf8');
    expect(file).toBe(Array.from({ length: 200_000 }, (_, i) => `${i + 1}\n`).join(''));
    expect(await bench.ok('bash', { command: 'seq 200000', head: 1 })).toMatch(/^1\n\n\[Showing lines 1-1 of 200000/);
  });

  it('keeps full output in a private file when the call belongs to no session', async () => {
    const runner = await bench.kernel.find(toolRunner);
    const text = textOf(await runner.run('bash', { command: 'seq 100000' }));
    const [, path] = /Full: (\S+)\]$/.exec(text)!;
    expect(path).toMatch(/tool-output/);
    expect(readFileSync(path!, 'utf8').length).toBe(588_895);
  });

  it('stays within bounds when a command writes without end, in the middle of characters and without line breaks', async () => {
    const before = process.memoryUsage().rss;
    const result = await bench.run('bash', {
      command: "head -c 200000000 /dev/zero | tr '\\0' 'x'; printf 'é%.0s' $(seq 50000)",
    });
    const text = textOf(result);
    expect(Buffer.byteLength(text)).toBeLessThan(52 * 1024);
    expect(text).not.toContain('\uFFFD');
    expect(text.slice(-200)).toMatch(/é\n\n\[Showing lines 1-1 of 1 \(190\.8MB in all\)/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it('takes control sequences out of output', async () => {
    expect(await bench.ok('bash', { command: String.raw`printf '\033[31mred\033[0m 10%%\r20%%\n'` })).toBe(
      'red 10%\n20%',
    );
  });

  it('runs unattended: no pager, no editor, no question', async () => {
    await bench.ok('bash', { command: 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first' });
    expect(await bench.ok('bash', { command: 'git log --format=%s' })).toBe('first');
    expect(await bench.ok('bash', { command: 'read -r answer; echo "<$answer>"' })).toBe('<>');
    expect(await bench.ok('bash', { command: 'echo "$EDITOR $GIT_TERMINAL_PROMPT $TERM"' })).toBe('true 0 dumb');
  });

  it.each([
    ['standard input', 'cat'],
    ['the terminal', 'cat </dev/tty'],
    ['a question', 'read -r -p "Really? " answer </dev/tty'],
  ])('does not wait for %s', async (_, command) => {
    const result = await bench.run('bash', { command, timeout: 5 });
    expect(result.details).toMatchObject({ outcome: 'exited' });
  });

  it('ends a command that waits for a FIFO at its time limit', async () => {
    const text = await bench.fails('bash', { command: 'mkfifo pipe; cat pipe', timeout: 1 });
    expect(text).toMatch(/timed out after 1 seconds/);
    expect(await bench.ok('bash', { command: 'echo "$((6 * 7))"' })).toBe('42');
  });

  it('restores the state when a command has taken the shell away', async () => {
    await bench.ok('bash', { command: 'kept=yes; greet() { echo "hi $1"; }; false || true' });
    expect(await bench.fails('bash', { command: 'kill -9 $$' })).toMatch(/with the variables from before this command/);
    const interrupted = await bench.fails('bash', { command: 'kept=yes; kill -INT $$; echo never' });
    expect(interrupted).toMatch(
      /^\(no output\)[\s\S]*A signal ended the shell; the next command gets a new one[\s\S]*130$/,
    );
    expect(await bench.ok('bash', { command: 'echo "$kept"' })).toBe('yes');
    expect(await bench.ok('bash', { command: 'greet "$kept"' })).toBe('hi yes');
  });

  it('lets the next command see the exit status of the last one, and no trace of its own work', async () => {
    await bench.fails('bash', { command: '(exit 7)' });
    expect(await bench.ok('bash', { command: 'echo $?' })).toBe('7');
    await bench.ok('bash', { command: 'set -o noclobber -o nounset; set -x' });
    expect(await bench.ok('bash', { command: '{ set +x; } 2>/dev/null; echo clean' })).toMatch(/clean$/);
    expect(await bench.ok('bash', { command: 'echo again' })).toBe('again');
  });

  it('names what still runs and shows what it wrote in between', async () => {
    const started = await bench.ok('bash', { command: '(sleep 0.2; echo late; sleep 30) & disown; echo started' });
    expect(started).toMatch(/^started\n\n\[Still running in the background: \d+ /);
    await sleep(600);
    expect(await bench.ok('bash', { command: 'echo next' })).toMatch(
      /^next\n\n\[Background processes wrote meanwhile:\]\nlate/,
    );
  });

  it('makes cached scans forget what the command may have changed', async () => {
    const scan = await loadAccelerator('scan');
    await scan.glob({ path: bench.root, pattern: '**', cache: true });
    await bench.ok('bash', { command: 'touch new.txt' });
    expect(scan.cacheReport().map(({ root }) => root)).not.toContain(bench.root);
  });

  it('ends all processes when the plugin is unloaded', async () => {
    const text = await bench.ok('bash', { command: 'setsid sleep 300 & echo $!' });
    await bench.kernel.unload('shell-tools');
    expect(isAlive(Number.parseInt(text, 10))).toBe(false);
    expect(readdirSync(bench.root).sort()).toEqual(['.git', 'src']);
  });
});
