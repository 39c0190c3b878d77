import { isAlive } from '@tenon/test-kit/processes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolResult } from '@tenon/tools/api';
import { textOf, type Workbench } from '@tenon/test-kit/workbench';
import { openShellBench } from './shell-bench.ts';

let bench: Workbench;
beforeEach(async () => void (bench = await openShellBench({ files: { 'src/a.txt': 'x' } })));
afterEach(() => bench.dispose());

describe('a command with `pty`', () => {
  it('has a terminal, and the output is what the terminal would show', async () => {
    expect(await bench.ok('bash', { command: '[ -t 0 ] && [ -t 1 ] && tput cols && echo $TERM', pty: true })).toBe(
      '120\nxterm-256color',
    );
    const drawn = String.raw`printf '\033[31mred\033[0m 10%%\r20%%\n\033[2;5Hhere\033[1;1HTop\n\n'`;
    expect(await bench.ok('bash', { command: drawn, pty: true })).toBe('Top 10%\n    here');
  });

  it('works in the folder and with the state of the session, which it does not change', async () => {
    await bench.ok('bash', { command: 'cd src; word=hello; say() { echo "$word $1"; }; alias hi=\'say you\'' });
    expect(await bench.ok('bash', { command: 'hi; pwd; ls; cd /; word=x', pty: true })).toBe(
      `hello you\n${bench.path('src')}\na.txt`,
    );
    expect(await bench.ok('bash', { command: 'pwd; hi' })).toBe(`${bench.path('src')}\nhello you`);
    expect(await bench.ok('bash', { command: 'echo "$A"', pty: true, env: { A: "it's" }, cwd: '.' })).toBe("it's");
  });

  it('keeps lines that are longer than the screen, and those that have scrolled away', async () => {
    const long = 'x'.repeat(300);
    expect(await bench.ok('bash', { command: `echo ${long}`, pty: true })).toBe(long);
    expect(await bench.ok('bash', { command: 'seq 500', pty: true, head: 1 })).toBe('1\n\n[Showing lines 1-1 of 500.]');
  });

  it('shows the screen while it runs, and what a full-screen program has drawn', async () => {
    const updates: ToolResult[] = [];
    const command = String.raw`printf '\033[?1049h\033[3;3Hmenu'; sleep 0.3; printf '\033[5;3Hquit'; sleep 30`;
    const result = await bench.run('bash', { command, pty: true, timeout: 1 }, { updates });
    expect(textOf(result)).toMatch(/^\s*menu\n\s*quit\n\nCommand timed out after 1 seconds/);
    expect(updates.some((update) => textOf(update).includes('menu'))).toBe(true);
  });

  it('fails with its exit status, and ends with everything it started', async () => {
    expect(await bench.run('bash', { command: 'exit 4', pty: true })).toMatchObject({
      isError: true,
      details: { exitCode: 4, outcome: 'exited' },
    });
    const controller = new AbortController();
    const updates: ToolResult[] = [];
    const run = bench.run(
      'bash',
      { command: 'sleep 300 & echo "pid $!"; wait', pty: true },
      { signal: controller.signal, updates },
    );
    await expect.poll(() => updates.length).toBeGreaterThan(0);
    const pid = Number(/pid (\d+)/.exec(textOf(updates.at(-1) as ToolResult))?.[1]);
    controller.abort(new Error('stopped'));
    await expect(run).rejects.toThrow('stopped');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('leaves the shell of the session free for the next command', async () => {
    await bench.fails('bash', { command: 'cat', pty: true, timeout: 1 });
    expect(await bench.ok('bash', { command: 'echo next' })).toBe('next');
  });
});
