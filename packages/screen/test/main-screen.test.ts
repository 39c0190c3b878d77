import { until } from '@tenon/test-kit/waiting';
import { expect, it } from 'vitest';

import { type Component, CURSOR_MARKER, FactFinder, MainScreen } from '../src/index.ts';
import { Emulator, type RowsOnResize } from './support/emulator.ts';
import { text } from './support/text.ts';

interface SetUpOptions {
  readonly inserts?: boolean;
  readonly facts?: FactFinder;
  readonly onResize?: RowsOnResize;
}

function setUp(columns = 40, rows = 10, { onResize, ...options }: SetUpOptions = {}) {
  const terminal = new Emulator(columns, rows, true, onResize);
  const errors: unknown[] = [];
  const screen = new MainScreen({
    terminal,
    text,
    frameInterval: 0,
    onError: (error) => errors.push(error),
    ...options,
  });
  const drawn = async (): Promise<void> => {
    for (let turn = 0; turn < 2; turn += 1) {
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      await terminal.settle();
    }
  };
  return { terminal, screen, errors, drawn };
}

const rowsOf = (...rows: string[]): Component => ({ render: () => rows });
const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `row ${at}`);

it('writes a token of a streamed row as little more than the token, and what is below not at all', async () => {
  const { terminal, screen, drawn } = setUp(60, 12);
  let message = 'The agent';
  screen.append(numbered(30));
  screen.add({ render: () => [message] });
  screen.add(rowsOf('-----', `> ${CURSOR_MARKER}`, 'footer'));
  screen.start();
  await drawn();
  terminal.writes.length = 0;
  message += ' reads';
  screen.requestFrame();
  await drawn();
  screen.append([message]);
  message = 'a file';
  screen.requestFrame();
  await drawn();
  const [token = '', wrapped = ''] = terminal.writes;
  expect(terminal.writes).toHaveLength(2);
  expect(token.length).toBeLessThan(50);
  expect(wrapped).toMatch(/\n\n\r\x1b\[3A\x1b\[L/);
  expect(wrapped).not.toContain('footer');
  // Whole, because the terminal may have broken or moved the live row in the meantime.
  expect(wrapped.split('The agent reads')).toHaveLength(2);
  // No place on the screen, no region: both depend on a size that may have changed.
  expect(wrapped).not.toMatch(/\x1b\[[\d;]*[Hfrd]/);
  expect(terminal.contents()).toEqual([...numbered(30), 'The agent reads', 'a file', '-----', '>', 'footer']);
});

it('puts the real cursor at the caret after every frame, also behind wide characters', async () => {
  const { terminal, screen, drawn } = setUp();
  let draft = '';
  screen.add({ render: () => ['above', `> ${draft}${CURSOR_MARKER}`, 'below'] });
  screen.start();
  for (const [typed, column] of [
    ['', 2],
    ['日本', 6],
    ['日本語x', 9],
  ] as const) {
    draft = typed;
    screen.requestFrame();
    await drawn();
    expect(terminal.cursor()).toEqual({ row: 1, column });
  }
});

it('writes nothing when nothing has changed, and keeps no timer', async () => {
  const { terminal, screen, drawn } = setUp();
  screen.add(rowsOf('one', 'two'));
  screen.start();
  await drawn();
  terminal.writes.length = 0;
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  screen.requestFrame();
  await drawn();
  expect(terminal.writes).toEqual([]);
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThanOrEqual(timers);
});

it('joins requests into one frame with one write', async () => {
  const { terminal, screen, drawn } = setUp();
  screen.start();
  await drawn();
  terminal.writes.length = 0;
  for (const row of numbered(100)) screen.append([row]);
  await drawn();
  expect(terminal.writes).toHaveLength(1);
  expect(terminal.writes[0]).toMatch(/^\x1b\[\?2026h[^]*\x1b\[\?2026l/);
  expect(terminal.contents()).toEqual(numbered(100));
});

it('asks components before a frame what has become final, and draws that in the same frame', async () => {
  const { terminal, screen, errors, drawn } = setUp();
  let closed = ['a closed block'];
  screen.add({
    render: () => [...closed, 'live'],
    beforeFrame: () => screen.append(closed.splice(0)),
  });
  screen.add({
    render: () => [],
    beforeFrame: () => {
      throw new Error('a part that fails');
    },
  });
  screen.start();
  await drawn();
  expect(terminal.writes).toHaveLength(1);
  closed = ['another one'];
  screen.requestFrame();
  await drawn();
  expect(terminal.writes).toHaveLength(2);
  expect(terminal.contents()).toEqual(['a closed block', 'another one', 'live']);
  expect(errors.map(String)).toEqual(['Error: a part that fails', 'Error: a part that fails']);
});

it('draws any row at any width from 1 to 400 without a fault', async () => {
  const rows = [
    '\x1b[31m日本語\x1b[0m',
    '👩‍👩‍👧👩‍👩‍👧',
    'x'.repeat(500),
    '\t\ttabs',
    'two\nlines',
    '\x1b[2J\x1b[H\x07',
    'e\u0301'.repeat(90),
    '\ud800',
  ];
  const { screen, terminal, errors, drawn } = setUp(2, 5);
  screen.add({ render: () => [...rows, CURSOR_MARKER] });
  screen.openOverlay(rowsOf(...rows), { width: 7 });
  screen.start();
  for (let width = 1; width <= 400; width += 1) {
    Object.defineProperty(terminal, 'columns', { value: width, configurable: true });
    screen.append(rows);
    await drawn();
  }
  expect(errors).toEqual([]);
  expect(terminal.writes.join('')).not.toMatch(/\x1b\[2J|\x07/);
});

it('shows a component that fails as a row that says so, and goes on', async () => {
  const { screen, terminal, errors, drawn } = setUp();
  const broken: Component = {
    render: () => {
      throw new Error('no data');
    },
  };
  screen.add(broken);
  screen.add(rowsOf('alive'));
  screen.start();
  await drawn();
  expect(terminal.contents()).toEqual(['(cannot be shown: no data)', 'alive']);
  expect(errors).toHaveLength(1);
});

it('lays an overlay on the live rows, gives it the keys and the caret, and takes it away without a trace', async () => {
  const { screen, terminal, drawn } = setUp(20, 8);
  const got: string[] = [];
  const editor: Component = {
    render: () => ['live row of 20 chars', `>${CURSOR_MARKER}`],
    handleInput: (data) => got.push(`editor ${data}`),
  };
  screen.append(numbered(4));
  screen.add(editor);
  screen.setFocus(editor);
  screen.start();
  await drawn();
  const close = screen.openOverlay(
    { render: () => ['top', `pick${CURSOR_MARKER}`, 'foot'], handleInput: (data) => got.push(`overlay ${data}`) },
    { width: 8 },
  );
  await drawn();
  terminal.handlers?.onInput(Buffer.from('x'));
  expect(terminal.contents()).toEqual([...numbered(4), '      top', 'live rpick     chars', '>     foot']);
  expect(terminal.screenRow(terminal.cursor().row).slice(0, terminal.cursor().column)).toBe('live rpick');
  close();
  await drawn();
  terminal.handlers?.onInput(Buffer.from('\x1b[A'));
  expect(got).toEqual(['overlay x', 'editor \x1b[A']);
  expect(terminal.contents()).toEqual([...numbered(4), 'live row of 20 chars', '>']);
});

it('gives a lone escape to the component once no more follows', async () => {
  const { screen, terminal } = setUp();
  const got: string[] = [];
  const editor: Component = { render: () => [''], handleInput: (data) => got.push(data) };
  screen.setFocus(editor);
  screen.start();
  terminal.handlers?.onInput(Buffer.from('\x1b'));
  expect(got).toEqual([]);
  await until(() => got.length > 0, 'the Escape key');
  expect(got).toEqual(['\x1b']);
});

it('clears screen and scrollback only when asked to redraw', async () => {
  const { screen, terminal, drawn } = setUp();
  screen.append(numbered(30));
  screen.add(rowsOf('live'));
  screen.start();
  await drawn();
  screen.redraw(['told anew']);
  await drawn();
  expect(terminal.contents()).toEqual(['told anew', 'live']);
  expect(terminal.writes.join('').match(/\x1b\[3J/g)).toHaveLength(1);
});

it('shows the end of live rows that are higher than the screen, and all of them once they are finished', async () => {
  const { screen, terminal, drawn } = setUp(20, 6);
  const tall: Component = { render: () => numbered(20) };
  screen.append(['first']);
  screen.add(tall);
  screen.start();
  await drawn();
  expect(terminal.contents()).toEqual(['first', ...numbered(20).slice(-6)]);
  screen.remove(tall);
  screen.append(numbered(20));
  await drawn();
  expect(terminal.contents()).toEqual(['first', ...numbered(20)]);
});

it('erases no finished row on a narrower terminal that gives pictographs fewer columns than we do', async () => {
  const { screen, terminal, drawn } = setUp(8, 2);
  screen.append(['#0']);
  screen.add(rowsOf('~0 🎉 🎉', `~1${CURSOR_MARKER}`));
  screen.start();
  await drawn();
  terminal.resize(2, 6);
  await drawn();
  expect(terminal.contents()).toContain('#0');
});

it.each([
  ['XTerm(390)', 'cut'],
  ['a terminal that nobody knows', 'cut'],
  ['xterm.js(6.0.0)', 'broken'],
] as const)('keeps each finished row once when %s becomes narrower again and again', async (name, onResize) => {
  const facts = new FactFinder({ environment: { TERM: 'xterm-256color' }, platform: 'linux' });
  const { terminal, screen, drawn } = setUp(60, 12, { facts, onResize });
  screen.append(numbered(30));
  screen.add({ render: (width) => ['='.repeat(width), '-'.repeat(width), `> ${CURSOR_MARKER}`] });
  screen.start();
  await drawn();
  terminal.handlers?.onInput(Buffer.from(`\x1bP>|${name}\x1b\\`));
  for (const columns of [50, 40, 30]) {
    terminal.resize(columns, 12);
    await drawn();
  }
  expect(terminal.contents().filter((row) => row.startsWith('row'))).toEqual(numbered(30));
  const rules = terminal.contents().filter((row) => /^[-=]+$/.test(row));
  expect(rules, 'nothing of the frames before').toEqual(['='.repeat(30), '-'.repeat(30)]);
});

it('writes no marks that turn the direction of writing, and ends styles once', async () => {
  const { terminal, screen, drawn } = setUp();
  screen.append(['a\u202eb\u2066c', '\x1b[31mred\x1b[39m\x1b[32mgreen\x1b[39m']);
  screen.start();
  await drawn();
  const written = terminal.writes.join('');
  expect(written).toContain('abc');
  expect(written).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(written).toContain('\x1b[31mred\x1b[32mgreen\x1b[0m');
  screen.stop();
});
