import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import {
  copyToClipboard,
  environmentHints,
  FactFinder,
  KeyDecoder,
  link,
  MainScreen,
  notify,
  notifyKind,
  setTitle,
  type TerminalFacts,
} from '../src/index.ts';
import { breaksRows } from '../src/reflowing.ts';
import { Emulator } from './support/emulator.ts';
import { text } from './support/text.ts';

const XTERM = { TERM: 'xterm-256color' };

function setUp(options: { environment?: Record<string, string>; answers?: boolean; timeLimit?: number } = {}) {
  const terminal = new Emulator(40, 10, options.answers ?? true);
  const changes: TerminalFacts[] = [];
  const finder = new FactFinder({
    environment: options.environment ?? XTERM,
    platform: 'linux',
    onChange: (facts) => changes.push(facts),
    ...(options.timeLimit === undefined ? {} : { timeLimit: options.timeLimit }),
  });
  const typed: string[] = [];
  const seen: string[] = [];
  const field = { render: () => ['live'], handleInput: (data: string) => typed.push(data) };
  const screen = new MainScreen({
    terminal,
    text,
    facts: finder,
    frameInterval: 0,
    onError: (error) => {
      throw error;
    },
    onInput: (input) => {
      seen.push(input.data);
      return false;
    },
  });
  screen.add(field);
  screen.setFocus(field);
  const drawn = async (): Promise<void> => {
    for (let turn = 0; turn < 2; turn += 1) {
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      await terminal.settle();
    }
  };
  return { terminal, finder, screen, changes, typed, seen, drawn };
}

it('asks behind the first frame, once, and takes what xterm.js answers', async () => {
  const { terminal, finder, screen, typed, drawn } = setUp();
  screen.start();
  await drawn();
  expect(terminal.writes[0]).toMatch(/^\x1b\[\?2026h[^]*live[^]*\x1b\[\?2026l/);
  await until(() => finder.facts.isComplete, 'the terminal has answered');
  expect(finder.facts.synchronized).toBeTypeOf('boolean');
  expect(finder.facts.sixel).toBe(false);
  screen.suspend();
  await drawn();
  expect(terminal.writes.join('').split('\x1b[c')).toHaveLength(2);
  expect(typed).toEqual([]);
});

it('understands the answers of many terminals, split at every byte, and hands none of them on', async () => {
  const answers =
    '\x1b]10;rgb:ffff/ffff/ffff\x07\x1b]11;rgb:1e/1e/2e\x1b\\\x1b[?1u\x1bP>|WezTerm 20240203-110809\x1b\\' +
    '\x1b[?2026;2$y\x1b[4;320;400t\x1b[6;34;17t\x1b[?62;4;22c';
  for (let cut = 0; cut <= answers.length; cut += 1) {
    const { terminal, finder, screen, typed, seen, drawn } = setUp({ answers: false });
    screen.start();
    await drawn();
    terminal.handlers?.onInput(Buffer.from(answers.slice(0, cut)));
    terminal.handlers?.onInput(Buffer.from(answers.slice(cut)));
    expect(finder.facts).toMatchObject({
      name: 'wezterm',
      version: '20240203-110809',
      foreground: { red: 255, green: 255, blue: 255 },
      background: { red: 30, green: 30, blue: 46 },
      isDark: true,
      kittyKeys: true,
      synchronized: true,
      sixel: true,
      cell: { width: 17, height: 34 },
      isComplete: true,
    });
    expect([...typed, ...seen]).toEqual([]);
    screen.stop();
  }
});

it.each([
  ['kitty(0.35.2)', 'kitty', '0.35.2'],
  ['iTerm2 3.5.0', 'iterm2', '3.5.0'],
  ['XTerm(390)', 'xterm', '390'],
  ['tmux 3.4', 'tmux', '3.4'],
  ['xterm.js(5.6.0-beta.1)', 'vscode', '1.90'],
])('takes %j for %s', (said, name, version) => {
  const environment = { ...XTERM, TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.90' };
  const finder = new FactFinder({ environment, platform: 'linux' });
  finder.questions();
  expect(finder.take(`\x1bP>|${said}\x1b\\`)).toBe(true);
  expect(finder.facts).toMatchObject({ name, version });
});

it.each([
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }, true],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'tmux-256color' }, true],
  [{ TERM: 'screen-256color', TMUX: 'tmux,1,0', TERM_PROGRAM: 'tmux' }, true],
  [{ TERM: 'screen', STY: '1.tty', TERM_PROGRAM: 'vscode' }, false],
  [{ TERM: 'linux' }, false],
  [{ TERM: 'xterm-256color' }, false],
])('counts on broken rows in %j: %s', (environment, expected) => {
  expect(breaksRows(new FactFinder({ environment, platform: 'linux' }).facts)).toBe(expected);
});

it('reckons the cell from the window where the terminal tells only that', async () => {
  const { terminal, finder, screen, drawn } = setUp({ answers: false });
  screen.start();
  await drawn();
  terminal.handlers?.onInput(Buffer.from('\x1b[4;200;320t\x1b[?1;2c'));
  expect(finder.facts.cell).toEqual({ width: 8, height: 20 });
});

it('is complete after the time limit on a terminal that never answers, shows nothing there, and takes late answers', async () => {
  const { terminal, finder, screen, changes, typed, drawn } = setUp({ answers: false, timeLimit: 20 });
  screen.start();
  await drawn();
  expect(terminal.screenRows().filter(Boolean)).toEqual(['live']);
  await until(() => finder.facts.isComplete, 'the time limit');
  expect(finder.facts.background).toBeUndefined();
  terminal.handlers?.onInput(Buffer.from('\x1b]11;#ffffff\x07'));
  expect(finder.facts.isDark).toBe(false);
  expect(changes.at(-1)?.isDark).toBe(false);
  expect(typed).toEqual([]);
});

it('does not type an answer that comes slowly, nor the beginning of one whose rest is lost', async () => {
  const { terminal, finder, screen, typed, drawn } = setUp({ answers: false });
  screen.start();
  await drawn();
  terminal.handlers?.onInput(Buffer.from('\x1b]11;rgb:00'));
  // Longer than a lone escape is waited for.
  await new Promise((resolve) => setTimeout(resolve, 60));
  terminal.handlers?.onInput(Buffer.from('00/0000/0000\x1b\\'));
  expect(finder.facts.isDark).toBe(true);
  expect(typed).toEqual([]);
  const decoder = new KeyDecoder();
  for (const cut of ['\x1b]11;rgb:00', '\x1b[?62;', '\x1bP>|Wez']) {
    expect(decoder.push(Buffer.from(cut))).toEqual([]);
    expect(decoder.flush()).toEqual([{ kind: 'report', data: cut }]);
  }
  expect(decoder.push(Buffer.from('\x1b]')).concat(decoder.flush())).toMatchObject([
    { kind: 'key', key: { alt: true, name: ']' } },
  ]);
});

it.each([
  ['a dumb terminal', { TERM: 'dumb' }, ''],
  ['no terminal at all', {}, ''],
  ["Linux's console", { TERM: 'linux' }, ''],
  ['GNU screen', { TERM: 'screen.xterm', STY: '1.pts' }, '\x1b[c'],
])('asks %s only what it understands', (_, environment, asked) => {
  const finder = new FactFinder({ environment, platform: 'linux' });
  expect(finder.questions()).toBe(asked);
  expect(finder.facts.isComplete).toBe(asked === '');
});

it('spares the terminal of macOS what that prints instead of answering', () => {
  const environment = { TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' };
  const asked = new FactFinder({ environment, platform: 'darwin' }).questions();
  expect(asked).not.toContain('$p');
  expect(asked).not.toContain('>q');
  expect(asked).toContain('\x1b]11;?');
});

it.each([
  [
    { TERM: 'xterm-kitty', KITTY_WINDOW_ID: '1' },
    { name: 'kitty', kind: 'full' },
  ],
  [
    { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.5' },
    { name: 'iterm2', version: '3.5' },
  ],
  [
    { TERM: 'tmux-256color', TMUX: '/tmp/t', TERM_PROGRAM: 'tmux' },
    { name: 'tmux', multiplexer: 'tmux' },
  ],
  [{ TERM: 'xterm', SSH_TTY: '/dev/pts/1' }, { isRemote: true }],
  [{ TERM: 'xterm', COLORFGBG: '0;15' }, { isDark: false }],
  [{ WT_SESSION: 'id' }, { kind: 'none', name: 'windows-terminal' }],
])('reads %j', (environment, hints) => {
  expect(environmentHints(environment, 'linux')).toMatchObject(hints);
  expect(environmentHints({ WT_SESSION: 'id' }, 'win32').kind).toBe('full');
});

const full = { kind: 'full' } as const;

it('says things to the terminal that no text can break out of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 60 }), (said, url) => {
      const hostile = `${said}\x1b\\\x07\x9c\x1b[2J${said}`;
      const inner = [
        /^\x1b\]0;([^]*)\x07$/.exec(setTitle(hostile)),
        /^\x1b\]9;([^]*)\x1b\\$/.exec(notify(hostile, 'osc9')),
        /^\x1b\]777;notify;([^]*)\x1b\\$/.exec(notify(hostile, 'osc777', hostile)),
        /^\x1b\]52;c;([^]*)\x07$/.exec(copyToClipboard(hostile) ?? ''),
      ];
      for (const match of inner) expect(match?.[1]).toMatch(/^[^\x00-\x1f\x7f-\x9f]*$/);
      expect(link('word', `javascript:${url}`)).toBe('word');
      expect(link('word', `https://a/${url}\x1b\\`)).toBe('word');
    }),
  );
  expect(link('word', 'https://example.org/a?b=c')).toBe('\x1b]8;;https://example.org/a?b=c\x1b\\word\x1b]8;;\x1b\\');
});

it('notifies in the way that the terminal shows, and rings where none is known', () => {
  expect(notifyKind({ ...full, name: 'iterm2' })).toBe('osc9');
  expect(notifyKind({ ...full, name: 'foot' })).toBe('osc777');
  expect(notifyKind({ ...full, name: 'kitty', multiplexer: 'tmux' })).toBe('bell');
  expect(notifyKind(full)).toBe('bell');
  expect(notifyKind({ kind: 'none' })).toBe('none');
  expect(notify('done', 'bell')).toBe('\x07');
  // `9;4;…` would be a progress bar.
  expect(notify('4;1;50', 'osc9')).toBe('\x1b]9; 4;1;50\x1b\\');
});

it('copies up to a limit, and through tmux and GNU screen', () => {
  const payload = Buffer.from('copy ü').toString('base64');
  const plain = `\x1b]52;c;${payload}\x07`;
  expect(copyToClipboard('copy ü', full)).toBe(plain);
  expect(copyToClipboard('copy ü', { ...full, multiplexer: 'tmux' })).toBe(plain);
  expect(copyToClipboard('copy ü', { ...full, multiplexer: 'tmux' }, { passthrough: true })).toBe(
    `${plain}\x1bPtmux;\x1b${plain}\x1b\\`,
  );
  expect(copyToClipboard('copy ü', { ...full, multiplexer: 'screen' })).toBe(`\x1bP${plain}\x1b\\`);
  expect(copyToClipboard('x'.repeat(100_000), full)).toBeUndefined();
  expect(copyToClipboard('x', { kind: 'none' })).toBeUndefined();
});
