import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { CURSOR_MARKER, FullScreen, type FullScreenOptions } from '../src/index.ts';
import { Emulator } from './support/emulator.ts';
import { text } from './support/text.ts';

function setUp(columns: number, rows: number, options: Partial<FullScreenOptions> = {}) {
  const terminal = new Emulator(columns, rows);
  const errors: unknown[] = [];
  const screen = new FullScreen({
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
  const type = (keys: string): void => terminal.handlers?.onInput(Buffer.from(keys));
  return { terminal, screen, errors, drawn, type };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `row ${at}`);

const words = fc.constantFrom(
  'plain',
  'the agent reads',
  '日本語',
  '\x1b[31mred\x1b[39m',
  '\x1b[1mbold',
  'é',
  'x'.repeat(50),
  '',
);
const content = fc.array(words, { maxLength: 4 }).map((parts) => parts.join(' '));
const step = fc.oneof(
  fc.record({ do: fc.constant('append' as const), rows: fc.array(content, { maxLength: 30 }) }),
  fc.record({
    do: fc.constant('live' as const),
    rows: fc.array(content, { maxLength: 12 }),
    caret: fc.nat({ max: 12 }),
  }),
  fc.record({
    do: fc.constant('type' as const),
    keys: fc.constantFrom('\x1b[5~', '\x1b[6~', '\x1b[1;5H', '\x1b[1;5F', '\x1b[H', '\x1b[<64;1;1M', '\x1b[<65;1;1M'),
  }),
  fc.record({ do: fc.constant('take over' as const), rows: fc.array(content, { maxLength: 50 }) }),
  fc.record({ do: fc.constant('give back' as const) }),
  fc.record({
    do: fc.constant('resize' as const),
    columns: fc.integer({ min: 1, max: 160 }),
    rows: fc.integer({ min: 1, max: 50 }),
  }),
);

it(`shows what a list of rows and a position in it say, after every step (seed ${COMMON_SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 30 }),
      fc.tuple(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 40 })),
      async (steps, size) => {
        const { terminal, screen, errors, drawn, type } = setUp(...size);
        let live: string[] = [];
        let caret = 0;
        const pages: { close: () => void; rows: readonly string[] }[] = [];
        const finished: string[] = [];
        let top: number | undefined;
        screen.add({ render: () => live.map((row, at) => (at === caret ? `${row}${CURSOR_MARKER}` : row)) });
        screen.start();
        await drawn();
        const room = (): number => terminal.rows - Math.min(terminal.rows, live.length);
        let lastRoom = room();
        const scroll = (to: number): void => {
          const newest = Math.max(0, finished.length - lastRoom);
          top = to >= newest ? undefined : Math.max(0, to);
        };
        const press = (keys: string): void => {
          const from = top ?? Math.max(0, finished.length - lastRoom);
          const page = Math.max(1, lastRoom - 1);
          if (keys === '\x1b[5~') scroll(from - page);
          else if (keys === '\x1b[6~') scroll(from + page);
          else if (keys.startsWith('\x1b[<64')) scroll(from - 3);
          else if (keys.startsWith('\x1b[<65')) scroll(from + 3);
          else if (keys === '\x1b[1;5F') scroll(finished.length);
          else if (keys === '\x1b[1;5H' || top !== undefined) scroll(0);
        };
        for (const now of steps) {
          const writes = terminal.writes.length;
          if (now.do === 'append') {
            finished.push(...now.rows);
            screen.append(now.rows);
          } else if (now.do === 'live') [live, caret] = [[...now.rows], now.caret];
          else if (now.do === 'take over') {
            const close = screen.takeOver({ render: () => [], renderScreen: () => [...now.rows] });
            pages.push({ close, rows: now.rows });
          } else if (now.do === 'give back') pages.pop()?.close();
          else if (now.do === 'resize') terminal.resize(now.columns, now.rows);
          else {
            if (pages.length === 0) press(now.keys);
            type(now.keys);
          }
          screen.requestFrame();
          await drawn();
          expect(terminal.writes.length - writes, 'writes for one frame').toBeLessThanOrEqual(1);
          const foot = live.slice(Math.max(0, live.length - terminal.rows));
          if (pages.length === 0) lastRoom = room();
          const from = top ?? Math.max(0, finished.length - lastRoom);
          const above = finished.slice(from, from + lastRoom);
          const blank = Array.from({ length: lastRoom - above.length }, () => '');
          const expected = pages.at(-1)?.rows.slice(0, terminal.rows) ?? [...above, ...blank, ...foot];
          const plain = Array.from({ length: terminal.rows }, (_, at) =>
            text.sanitize(text.slice(expected[at] ?? '', 0, terminal.columns)).trimEnd(),
          );
          expect(terminal.screenRows(), `after ${now.do}`).toEqual(plain);
        }
        screen.stop();
        await terminal.settle();
        expect(errors).toEqual([]);
        expect(terminal.isAlternate).toBe(false);
        expect(terminal.contents()).toEqual([]);
      },
    ),
    { numRuns: caseCount(40) },
  );
});

it('writes little for a streamed token, and moves rows instead of writing them when a row is added', async () => {
  const { terminal, screen, drawn } = setUp(60, 20);
  let message = 'The agent';
  screen.append(numbered(50));
  screen.add({ render: () => [message, '-----', `> ${CURSOR_MARKER}`] });
  screen.start();
  await drawn();
  terminal.writes.length = 0;
  message += ' reads';
  screen.requestFrame();
  await drawn();
  screen.append(['one more']);
  await drawn();
  const [token = '', row = ''] = terminal.writes;
  expect(token.length).toBeLessThan(60);
  expect(row.length).toBeLessThan(80);
  expect(row).toMatch(/\x1b\[1;17r\x1b\[17;1H\n\x1b\[r/);
  expect(terminal.screenRows()).toEqual([...numbered(50).slice(-16), 'one more', 'The agent reads', '-----', '>']);
  terminal.writes.length = 0;
  screen.requestFrame();
  await drawn();
  expect(terminal.writes).toEqual([]);
});

it('gets earlier rows of the host when the user scrolls to the first one, and shows them in their order', async () => {
  const all = numbered(500);
  let [first, reads] = [400, 0];
  const earlierRows = () => {
    if (first === 0) return undefined;
    reads += 1;
    first -= 50;
    return all.slice(first, first + 50);
  };
  const { terminal, screen, drawn, type } = setUp(30, 10, { earlierRows });
  screen.append(all.slice(400));
  screen.start();
  await drawn();
  expect(terminal.screenRows()).toEqual(all.slice(-10));
  type('\x1b[1;5H');
  await drawn();
  expect([terminal.screenRows(), reads]).toEqual([all.slice(400, 410), 0]);
  type('\x1b[5~');
  await drawn();
  expect([terminal.screenRows(), reads]).toEqual([all.slice(391, 401), 1]);
  screen.append(['one more']);
  await drawn();
  expect(terminal.screenRows()).toEqual(all.slice(391, 401));
  screen.scrollTo(-400);
  await drawn();
  expect([terminal.screenRows(), reads]).toEqual([all.slice(0, 10), 8]);
  type('\x1b[1;5H\x1b[5~');
  await drawn();
  expect([terminal.screenRows(), reads]).toEqual([all.slice(0, 10), 8]);
  for (let page = 0; page < 60; page += 1) type('\x1b[6~');
  await drawn();
  expect(terminal.screenRows()).toEqual([...all.slice(-9), 'one more']);
});

it('asks for no earlier rows where rows in between were dropped', async () => {
  let reads = 0;
  const earlierRows = () => {
    reads += 1;
    return ['never'];
  };
  const { terminal, screen, drawn, type } = setUp(30, 5, { keptBytes: 10_000, earlierRows });
  screen.append(numbered(1000));
  screen.start();
  await drawn();
  type('\x1b[1;5H\x1b[1;5H\x1b[5~');
  await drawn();
  expect(reads).toBe(0);
  expect(terminal.screenRow(0)).toMatch(/^row \d+/);
});

it('forgets the oldest rows where nobody has them, and stays where the user has scrolled while rows are added', async () => {
  const { terminal, screen, drawn, type } = setUp(30, 5, { keptBytes: 10_000 });
  screen.append(numbered(1000));
  screen.start();
  await drawn();
  type('\x1b[5~');
  await drawn();
  const shown = terminal.screenRows();
  screen.append(['later']);
  await drawn();
  expect(terminal.screenRows()).toEqual(shown);
  type('\x1b[1;5H');
  await drawn();
  expect(Number(/\d+/.exec(terminal.screenRow(0))?.[0])).toBeGreaterThan(500);
  type('\x1b[F');
  await drawn();
  expect(terminal.screenRows().at(-1)).toBe('later');
});

it('tracks the mouse only while it is shown and wanted, and prints the last rows on the main screen when asked to', async () => {
  const { terminal, screen, drawn } = setUp(30, 6, { rowsLeftBehind: 3 });
  terminal.write('shell$ tenon\r\n');
  screen.append(numbered(20));
  screen.add({ render: () => ['live'] });
  screen.start();
  await drawn();
  expect(terminal.writes.join('')).toContain('\x1b[?1000h');
  screen.setMouse(false);
  await drawn();
  expect(terminal.writes.at(-1)).toContain('\x1b[?1000l');
  screen.stop({ keepLive: false });
  await terminal.settle();
  expect(terminal.contents()).toEqual(['shell$ tenon', 'row 17', 'row 18', 'row 19']);
});

it('gives the terminal to another program and comes back to the same rows', async () => {
  const { terminal, screen, drawn } = setUp(30, 6);
  screen.append(numbered(20));
  screen.start();
  await drawn();
  await screen.handOver(async () => {
    await terminal.settle();
    expect(terminal.isAlternate).toBe(false);
  });
  await drawn();
  expect(terminal.isAlternate).toBe(true);
  expect(terminal.screenRows()).toEqual(numbered(20).slice(-6));
});

it('leaves all keys to an overlay while one is open', async () => {
  const { terminal, screen, drawn, type } = setUp(30, 6);
  const got: string[] = [];
  screen.append(numbered(20));
  screen.add({ render: () => ['live'] });
  screen.start();
  screen.openOverlay({ render: () => ['over'], handleInput: (data) => got.push(data) });
  await drawn();
  const shown = terminal.screenRows();
  type('\x1b[5~');
  await drawn();
  expect(got).toEqual(['\x1b[5~']);
  expect(terminal.screenRows()).toEqual(shown);
});
