import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import pty from '@lydell/node-pty';
import { buildProgram } from '@tenon/test-kit/built-program';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import headless from '@xterm/headless';
import { beforeAll, describe, expect, it } from 'vitest';

const hasTmux = spawnSync('sh', ['-c', 'command -v tmux']).status === 0;
if (!hasTmux) process.stderr.write('SKIPPED: the screen in tmux (tmux is not installed)\n');

let demo: string;
beforeAll(async () => {
  demo = await buildProgram(join(import.meta.dirname, 'support', 'demo.ts'));
});

const finished = (count: number): string[] => Array.from({ length: count }, (_, at) => `finished row ${at}`);

/** Variables of a shell that keeps nothing of what is typed: its history would be the user's own. */
const ownShell = () => ({ ...process.env, HOME: temporaryFolder('home'), HISTFILE: '/dev/null' });

/** A shell in a tmux of its own: the socket stands in a folder of the test. */
function openTmux() {
  const socket = join(temporaryFolder('screen'), 'tmux');
  const tmux = (...words: string[]): string => spawnSync('tmux', ['-S', socket, ...words], { encoding: 'utf8' }).stdout;
  spawnSync(
    'tmux',
    ['-S', socket, '-f', '/dev/null', 'new-session', '-d', '-x', '80', '-y', '24', 'bash --norc --noprofile -i'],
    {
      env: { ...ownShell(), PS1: 'shell$ ', TERM: 'xterm-256color' },
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

describe.skipIf(!hasTmux)('in tmux', () => {
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
  });
});

describe.skipIf(!hasTmux)('in tmux, with the whole screen', () => {
  it('comes back from the alternate screen, from another program, and from sizes that changed meanwhile, with every row once', async () => {
    const { tmux, shown, type, shows } = openTmux();
    const screenOnly = (): string => tmux('capture-pane', '-p');
    // What is typed earlier would go to the program that still has the terminal.
    const isBack = () => until(() => shown().some((row) => row.startsWith('live of')), 'the live rows are back');
    type(`'${process.execPath}' '${demo}'`, 'Enter');
    await shows('live of');
    type('!40', 'Enter');
    await shows('finished row 39');
    type('C-t');
    await until(() => screenOnly().startsWith('page of 80x24'), 'the page');
    type('!3', 'Enter');
    tmux('resize-window', '-x', '60', '-y', '30');
    await until(() => screenOnly().startsWith('page of 60x30'), 'the page in its new size');
    expect(screenOnly()).not.toContain('finished row');
    type('C-t');
    await shows('finished row 42');
    await isBack();
    type('C-e');
    await shows('other program');
    await until(() => shown().includes('icanon'), 'the program has the terminal as it was');
    type('a line', 'Enter');
    await shows('it read a line');
    await isBack();
    type('C-e');
    await until(() => shown().filter((row) => row === 'other program').length === 2, 'the program runs again');
    await until(() => shown().filter((row) => row === 'icanon').length === 2, 'it has the terminal');
    type('C-c');
    // Ctrl-C has ended only that.
    await isBack();
    type('!2', 'Enter');
    await shows('finished row 44');
    type('C-d');
    await shows('bye');
    expect(shown().filter((row) => row.startsWith('finished row'))).toEqual(finished(45));
    expect(shown().filter((row) => row.startsWith('live of'))).toEqual([]);
  });

  it('scrolls and leaves the shell as it was, with the last rows below, when it draws on the alternate screen', async () => {
    const { tmux, shown, type, shows } = openTmux();
    const screenOnly = (): string => tmux('capture-pane', '-p');
    type(`'${process.execPath}' '${demo}' fullscreen`, 'Enter');
    await shows('live of');
    type('!100', 'Enter');
    await shows('finished row 99');
    type('PPage');
    await until(
      () => screenOnly().includes('finished row 70') && !screenOnly().includes('finished row 99'),
      'older rows',
    );
    type('C-End');
    await until(() => screenOnly().includes('finished row 99'), 'the newest rows');
    type('C-d');
    await shows('bye');
    expect(shown().filter((row) => row.startsWith('finished row'))).toEqual(finished(100).slice(-2));
  });
});

describe('on a pseudo-terminal', () => {
  /** A shell that shows the terminal's modes before and after the program. */
  async function run(kind: string, act: (terminal: pty.IPty, child: () => number) => void): Promise<string> {
    const script = `stty -a; '${process.execPath}' '${demo}' ${kind}; echo "ended $?"; stty -a; read -r over`;
    const size = { cols: 80, rows: 24, name: 'xterm-256color' };
    const terminal = pty.spawn('bash', ['--norc', '-c', script], { ...size, env: ownShell() });
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
  const cases = ['main', 'fullscreen'].flatMap((kind) =>
    Object.entries(endings).map((entry) => [kind, ...entry] as const),
  );
  for (const [kind, when, end] of cases) {
    it(`gives the terminal back as it was ${when} (${kind})`, async () => {
      const output = await run(kind, end);
      const [before, after] = output.match(/speed [^]*?-extproc/g) ?? [];
      expect(before).toBeDefined();
      expect(after).toBe(before);
      expect(openModes(output)).toEqual([]);
      expect(output.split('\x1b[>1u')).toHaveLength(output.split('\x1b[<u').length);
      if (when.includes('exception'))
        expect(output.slice(output.lastIndexOf('\x1b[?25h'))).toContain('nobody catches this');
    });
  }

  it('clears what a killed program left: alternate screen, mouse, frame, keys', async () => {
    const size = { cols: 80, rows: 24, name: 'xterm-256color' };
    const terminal = pty.spawn('bash', ['--norc', '-i'], { ...size, env: ownShell() });
    later(() => terminal.kill());
    let output = '';
    terminal.onData((data) => (output += data));
    const emulator = new headless.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
    terminal.onData((data) => emulator.write(data));
    terminal.write(`'${process.execPath}' '${demo}' fullscreen\r`);
    await until(() => output.includes('live of'), 'the program draws');
    process.kill(Number(/live of (\d+)/.exec(output)?.[1]), 'SIGKILL');
    await until(() => output.includes('Killed'), 'the shell tells');
    await until(() => emulator.buffer.active.type === 'alternate', 'the terminal is left as it was');
    expect(emulator.modes.mouseTrackingMode).not.toBe('none');
    output = '';
    terminal.write(`'${process.execPath}' '${demo}'\r`);
    await until(() => output.includes('live of'), 'the program draws again');
    await until(() => emulator.buffer.active.type === 'normal', 'the main screen is back');
    expect(emulator.modes.mouseTrackingMode).toBe('none');
    terminal.write('\x04');
    await until(() => output.includes('bye'), 'the program ends');
    await until(
      () => !emulator.modes.bracketedPasteMode || output.includes('\x1b[?2004h', output.indexOf('bye')),
      'its modes are off',
    );
    expect(openModes(output.slice(0, output.indexOf('bye')))).toEqual([]);
  });

  it('ends by its own choice when the terminal goes away under it', async () => {
    const told = join(temporaryFolder('gone'), 'told');
    // The kernel tells only the shell, which does not pass it on: the program finds out by itself.
    const script = `trap '' HUP; '${process.execPath}' '${demo}'; true`;
    const terminal = pty.spawn('bash', ['--norc', '-c', script], {
      cols: 80,
      rows: 24,
      name: 'xterm-256color',
      env: { ...ownShell(), TENON_DEMO_GONE: told },
    });
    let output = '';
    terminal.onData((data) => (output += data));
    await until(() => output.includes('live of'), 'the program draws');
    const pid = Number(/live of (\d+)/.exec(output)?.[1]);
    later(() => {
      // Only if the test has failed: it is gone otherwise.
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    // Closes our end of the terminal.
    (terminal as unknown as { destroy(): void }).destroy();
    await until(
      () => existsSync(told) && readFileSync(told, 'utf8') !== '',
      'the program tells that its terminal is gone',
    );
    await until(() => !isAlive(pid), 'the program has ended');
    expect(readFileSync(told, 'utf8')).toMatch(/^gone: /);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // No such process: that is the answer.
    return false;
  }
}
