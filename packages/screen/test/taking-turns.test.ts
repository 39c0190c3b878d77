import { until } from '@tenon/test-kit/waiting';
import { expect, it } from 'vitest';

import { type Component, CURSOR_MARKER, FactFinder, MainScreen } from '../src/index.ts';
import { Emulator } from './support/emulator.ts';
import { text } from './support/text.ts';

function setUp(columns = 40, rows = 10, facts?: FactFinder) {
  const terminal = new Emulator(columns, rows);
  const errors: unknown[] = [];
  const gone: Error[] = [];
  const screen = new MainScreen({
    terminal,
    text,
    frameInterval: 0,
    onError: (error) => errors.push(error),
    onGone: (error) => gone.push(error),
    ...(facts ? { facts } : {}),
  });
  const drawn = async (): Promise<void> => {
    for (let turn = 0; turn < 2; turn += 1) {
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      await terminal.settle();
    }
  };
  return { terminal, screen, errors, gone, drawn };
}

const rowsOf = (...rows: string[]): Component => ({ render: () => rows });
const numbered = (count: number, word = 'row'): string[] => Array.from({ length: count }, (_, at) => `${word} ${at}`);

it('gives the whole screen to a component and comes back with every finished row, those appended meanwhile included', async () => {
  const { terminal, screen, drawn } = setUp(30, 8);
  const typed: string[] = [];
  screen.append(numbered(20));
  screen.add(rowsOf('live', `> ${CURSOR_MARKER}`));
  screen.start();
  await drawn();
  const giveBack = screen.takeOver({
    render: () => [],
    renderScreen: (width, height) => [`pager of ${width}x${height}`, `second${CURSOR_MARKER}`],
    handleInput: (data) => typed.push(data),
  });
  await drawn();
  expect(terminal.isAlternate).toBe(true);
  expect(terminal.screenRows()).toEqual(['pager of 30x8', 'second', '', '', '', '', '', '']);
  expect(terminal.cursor()).toEqual({ row: 1, column: 6 });
  terminal.handlers?.onInput(Buffer.from('q'));
  screen.append(['said meanwhile']);
  await drawn();
  expect(terminal.contents()).toEqual(numbered(20));
  giveBack();
  await drawn();
  expect(typed).toEqual(['q']);
  expect(terminal.isAlternate).toBe(false);
  expect(terminal.contents()).toEqual([...numbered(20), 'said meanwhile', 'live', '>']);
});

it('shows the last rows of a component that knows only how to render', async () => {
  const { terminal, screen, drawn } = setUp(30, 4);
  screen.start();
  screen.takeOver(rowsOf(...numbered(9)));
  await drawn();
  expect(terminal.screenRows()).toEqual(numbered(9).slice(-4));
});

it('draws a page anew after a resize, also when the size is the same again', async () => {
  const { terminal, screen, drawn } = setUp(30, 8);
  screen.start();
  screen.takeOver(rowsOf(...numbered(8)));
  await drawn();
  terminal.resize(10, 2);
  terminal.resize(30, 8);
  await drawn();
  expect(terminal.screenRows()).toEqual(numbered(8));
});

it('moves rows of a page that only scroll, and writes those that are new', async () => {
  const { terminal, screen, drawn } = setUp(30, 20);
  let from = 0;
  screen.start();
  screen.takeOver({
    render: () => [],
    renderScreen: (_, height) => [...numbered(100).slice(from, from + height - 1), 'status'],
  });
  await drawn();
  for (const [to, most] of [
    [3, 160],
    [0, 160],
    [50, 700],
  ] as const) {
    terminal.writes.length = 0;
    from = to;
    screen.requestFrame();
    await drawn();
    expect(terminal.screenRows()).toEqual([...numbered(100).slice(from, from + 19), 'status']);
    expect(terminal.writes.join('').length).toBeLessThan(most);
  }
});

it('leaves the alternate screen and writes the rows that waited when it is stopped, or when the process ends', async () => {
  for (const how of ['stop', 'end'] as const) {
    const { terminal, screen, drawn } = setUp(30, 8);
    screen.append(numbered(3));
    screen.start();
    screen.takeOver(rowsOf('page'));
    await drawn();
    screen.append(['waited']);
    if (how === 'stop') screen.stop({ keepLive: false });
    else terminal.close(terminal.handlers?.onEnd() ?? '');
    await terminal.settle();
    expect(terminal.isAlternate).toBe(false);
    expect(terminal.contents()).toEqual([...numbered(3), 'waited']);
  }
});

it('gives the terminal to another program and draws the live rows anew below what that has written', async () => {
  const { terminal, screen, drawn } = setUp(30, 8);
  let live = 'live';
  screen.append(numbered(3));
  screen.add({ render: () => [live] });
  screen.start();
  await drawn();
  const answer = await screen.handOver(async () => {
    expect(terminal.handlers).toBeUndefined();
    terminal.write('other program\r\n');
    screen.say('\x1b]0;lost\x07');
    screen.append(['appended meanwhile']);
    live = 'changed meanwhile';
    screen.requestFrame();
    await drawn();
    expect(terminal.contents()).toEqual([...numbered(3), 'other program']);
    return 7;
  });
  expect(answer).toBe(7);
  screen.say('\x1b]0;title\x07');
  expect(terminal.writes.join('')).toContain('title');
  expect(terminal.writes.join('')).not.toContain('lost');
  await drawn();
  expect(terminal.contents()).toEqual([...numbered(3), 'other program', 'appended meanwhile', 'changed meanwhile']);
});

it('takes the terminal again when the other program fails, one program after the other, and not after a stop', async () => {
  const { terminal, screen, drawn } = setUp(30, 8);
  screen.add(rowsOf('live'));
  screen.start();
  await drawn();
  const order: string[] = [];
  const failing = screen.handOver(async () => {
    order.push('first');
    await drawn();
    order.push('first ends');
    throw new Error('no editor');
  });
  const second = screen.handOver(async () => {
    order.push('second');
    expect(terminal.handlers).toBeUndefined();
  });
  await expect(failing).rejects.toThrow('no editor');
  await second;
  await until(() => terminal.handlers !== undefined, 'the screen is open again');
  expect(order).toEqual(['first', 'first ends', 'second']);
  await screen.handOver(async () => screen.stop());
  await drawn();
  expect(terminal.handlers).toBeUndefined();
});

it('hands the terminal over only when no answer can be typed into the other program', async () => {
  const facts = new FactFinder({ environment: { TERM: 'xterm-256color' }, timeLimit: 600_000 });
  const { terminal, screen, drawn } = setUp(30, 8, facts);
  terminal.isMute = true;
  screen.start();
  await drawn();
  let isAway = false;
  const away = screen.handOver(async () => {
    isAway = true;
  });
  await drawn();
  expect(isAway).toBe(false);
  terminal.handlers?.onInput(Buffer.from('\x1b[?62;22c'));
  await away;
  expect(isAway).toBe(true);
});

it('waits for the answers to come before it stops, not for long, and asks nothing any more', async () => {
  const facts = new FactFinder({ environment: { TERM: 'xterm-256color' }, timeLimit: 600_000 });
  const { terminal, screen, drawn } = setUp(30, 8, facts);
  screen.add(rowsOf('live'));
  terminal.isMute = true;
  screen.start();
  await drawn();
  expect(terminal.writes.join('')).toContain('\x1b[6n');
  let isQuiet = false;
  const settled = screen.settle().then(() => (isQuiet = true));
  screen.append(['said meanwhile']);
  await drawn();
  terminal.handlers?.onInput(Buffer.from('\x1b[?62;22c'));
  await drawn();
  expect(isQuiet).toBe(false);
  terminal.handlers?.onInput(Buffer.from('\x1b[1;30R'));
  await settled;
  screen.append(['last']);
  screen.stop({ keepLive: false });
  expect(terminal.writes.join('').split('\x1b[6n')).toHaveLength(2);
  await terminal.settle();
  expect(terminal.contents()).toEqual(['said meanwhile', 'last']);
  // A terminal that answers nothing keeps nobody.
  screen.start();
  await drawn();
  await screen.settle();
  screen.stop();
});

it('tells once that the terminal is gone, and writes nothing to it any more', async () => {
  const { terminal, screen, gone, errors, drawn } = setUp();
  screen.add(rowsOf('live'));
  screen.start();
  await drawn();
  terminal.writes.length = 0;
  const { handlers } = terminal;
  handlers?.onGone(Object.assign(new Error('write EIO'), { code: 'EIO' }));
  handlers?.onGone(new Error('again'));
  screen.append(['lost']);
  screen.requestFrame();
  screen.stop();
  await drawn();
  expect(gone.map((error) => error.message)).toEqual(['write EIO']);
  expect(errors).toEqual([]);
  expect(terminal.writes).toEqual([]);
});
