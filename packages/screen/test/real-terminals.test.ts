import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import pty from '@lydell/node-pty';
import { buildProgram } from '@tenon/test-kit/built-program';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { beforeAll, describe, expect, it } from 'vitest';

const hasTmux = spawnSync('sh', ['-c', 'command -v tmux']).status === 0;
if (!hasTmux) process.stderr.write('SKIPPED: the screen in tmux (tmux is not installed)\n');

let demo: string;
beforeAll(async () => {
  demo = await buildProgram(join(import.meta.dirname, 'support', 'demo.ts'));
}, 60_000);

const finished = (count: number): string[] => Array.from({ length: count }, (_, at) => `finished row ${at}`);

describe.skipIf(!hasTmux)('in tmux', () => {
  /** A shell in a tmux of its own: the socket stands in a folder of the test. */
  function openTmux() {
    const socket = join(temporaryFolder('screen'), 'tmux');
    const tmux = (...words: string[]): string =>
      spawnSync('tmux', ['-S', socket, ...words], { encoding: 'utf8' }).stdout;
    spawnSync(
      'tmux',
      ['-S', socket, '-f', '/dev/null', 'new-session', '-d', '-x', '80', '-y', '24', 'bash --norc --noprofile -i'],
      {
        env: { ...process.env, PS1: 'shell$ ', TERM: 'xterm-256color' },
      },
    );
    later(() => void tmux('kill-server'));
    const shown = (): string[] =>
      tmux('capture-pane', '-p', '-J', '-S', '-')
        .split('\n')
        .map((row) => row.trimEnd());
    const type = (...keys: string[]): void => void tmux('send-keys', ...keys);
    const shows = (what: string) => until(() => shown().some((row) => row.includes(what)), `tmux shows ${what}`);
    return { tmux, shown, type, shows };
  }

  it('keeps every finished row once, in order, while the window is resized and the program is stopped and continued', async () => {
    const { tmux, shown, type, shows } = openTmux();
    type(`'${process.execPath}' '${demo}'`, 'Enter');
    await shows('live of');
    let count = 0;
    const addRows = async (more: number): Promise<void> => {
      type(`!${more}`, 'Enter');
      count += more;
      await shows(`finished row ${count - 1}`);
    };
    await addRows(5);
    await addRows(60);
    for (const [columns, rows] of [
      [60, 24],
      [100, 30],
      [40, 12],
      [120, 40],
    ]) {
      tmux('resize-window', '-x', String(columns), '-y', String(rows));
      await until(() => shown().includes('='.repeat(Number(columns))), 'the screen is drawn for the new size');
      for (let at = 0; at < 4; at += 1) await addRows(3);
    }
    type('C-z');
    await shows('Stopped');
    type('fg', 'Enter');
    await until(() => shown().filter((row) => row.startsWith('live of')).length === 1, 'the live rows are back');
    await addRows(2);
    type('C-d');
    await shows('bye');
    expect(shown().filter((row) => row.startsWith('finished row'))).toEqual(finished(count));
    expect(shown().filter((row) => row.startsWith('live of'))).toEqual([]);
    expect(shown().filter((row) => /^=+$/.test(row))).toEqual([]);
  }, 120_000);
});

describe('on a pseudo-terminal', () => {
  /** A shell that shows the terminal's modes before and after the program. */
  async function run(act: (terminal: pty.IPty, child: () => number) => void): Promise<string> {
    const script = `stty -a; '${process.execPath}' '${demo}'; echo "ended $?"; stty -a; read -r over`;
    const terminal = pty.spawn('bash', ['--norc', '-c', script], { cols: 80, rows: 24, name: 'xterm-256color' });
    later(() => terminal.kill());
    let output = '';
    terminal.onData((data) => (output += data));
    await until(() => output.includes('live of'), 'the program draws');
    act(terminal, () => Number(/live of (\d+)/.exec(output)?.[1]));
    // The shell stays until the test has read everything: what is written last can get lost with a terminal.
    await until(() => /ended \d+[^]*-extproc/.test(output), 'the shell shows the modes');
    return output;
  }

  /** Modes that were set and not taken back, by number. */
  function openModes(output: string): string[] {
    const open = new Set<string>();
    for (const [, mode = '', action] of output.matchAll(/\x1b\[\?(\d+)([hl])/g)) {
      const isOwn = mode === '7' || mode === '25' ? action === 'l' : action === 'h';
      if (isOwn) open.add(mode);
      else open.delete(mode);
    }
    return [...open];
  }

  const endings: Record<string, (terminal: pty.IPty, child: () => number) => void> = {
    'when it is stopped': (terminal) => terminal.write('\x04'),
    'on SIGTERM': (_, child) => process.kill(child(), 'SIGTERM'),
    'on SIGHUP': (_, child) => process.kill(child(), 'SIGHUP'),
    'on SIGINT': (_, child) => process.kill(child(), 'SIGINT'),
    'on an exception that nobody catches': (terminal) => terminal.write('\x18'),
  };
  for (const [when, end] of Object.entries(endings)) {
    it(`gives the terminal back as it was ${when}`, async () => {
      const output = await run(end);
      const [before, after] = output.match(/speed [^]*?-extproc/g) ?? [];
      expect(before).toBeDefined();
      expect(after).toBe(before);
      expect(openModes(output)).toEqual([]);
      expect(output.split('\x1b[>1u')).toHaveLength(output.split('\x1b[<u').length);
      if (when.includes('exception'))
        expect(output.slice(output.lastIndexOf('\x1b[?25h'))).toContain('nobody catches this');
    }, 60_000);
  }
});
