import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { CURSOR_MARKER, MainScreen } from '../src/index.ts';
import { Emulator } from './support/emulator.ts';
import { text } from './support/text.ts';

type Step =
  | { readonly do: 'append'; readonly rows: readonly string[] }
  | { readonly do: 'live'; readonly rows: readonly string[]; readonly caret: number }
  | { readonly do: 'finish first live row' }
  | { readonly do: 'overlay'; readonly rows: readonly string[]; readonly width: number }
  | { readonly do: 'close overlay' }
  | { readonly do: 'take over'; readonly rows: readonly string[] }
  | { readonly do: 'give back' }
  | { readonly do: 'resize'; readonly columns: number; readonly rows: number; readonly back: boolean };

const words = fc.constantFrom(
  'plain',
  'the agent reads',
  '日本語',
  '\x1b[31mred\x1b[39m',
  '\x1b[1mbold',
  'é',
  '🎉',
  'x'.repeat(50),
  '',
);
const content = fc.array(words, { maxLength: 4 }).map((parts) => parts.join(' '));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('append' as const), rows: fc.array(content, { maxLength: 30 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('live' as const),
      rows: fc.array(content, { maxLength: 12 }),
      caret: fc.integer({ min: 0, max: 12 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('finish first live row' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('overlay' as const),
      rows: fc.array(content, { maxLength: 10 }),
      width: fc.integer({ min: 1, max: 130 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('close overlay' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('take over' as const), rows: fc.array(content, { maxLength: 50 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('give back' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('resize' as const),
      columns: fc.integer({ min: 2, max: 160 }),
      rows: fc.integer({ min: 1, max: 50 }),
      back: fc.boolean(),
    }),
  },
);

const plain = (row: string): string => text.sanitize(row).trimEnd();

/** Plays the steps on a terminal and compares scrollback and screen with a list of rows after each of them. */
async function play(
  steps: readonly Step[],
  start: readonly [number, number],
  kind: { inserts: boolean; answers: boolean },
): Promise<void> {
  const terminal = new Emulator(...start, kind.answers);
  const failures: unknown[] = [];
  const screen = new MainScreen({
    terminal,
    text,
    inserts: kind.inserts,
    frameInterval: 0,
    onError: (error) => failures.push(error),
  });
  let live: string[] = [];
  let caret = 0;
  screen.add({ render: () => live.map((row, at) => (at === caret ? `${row}${CURSOR_MARKER}` : row)) });
  const overlays: (() => void)[] = [];
  const pages: (() => void)[] = [];
  const model: string[] = [];
  let serial = 0;
  /** Finished rows begin with # and a number, live ones never do. */
  const finish = (row: string): void => {
    const label = `#${serial++}`;
    const made = `${label} ${row}`;
    model.push(plain(text.slice(made, 0, terminal.columns)));
    screen.append([made]);
  };
  const drawn = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await terminal.settle();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await terminal.settle();
  };
  const act = (now: Step): void => {
    if (now.do === 'append') for (const row of now.rows) finish(row);
    else if (now.do === 'live') [live, caret] = [now.rows.map((row, at) => `~${at} ${row}`), now.caret];
    else if (now.do === 'finish first live row') {
      const first = live.shift();
      if (first !== undefined) finish(first);
    } else if (now.do === 'overlay')
      overlays.push(screen.openOverlay({ render: () => now.rows.map((row) => `~${row}`) }, now));
    else if (now.do === 'close overlay') overlays.pop()?.();
    else if (now.do === 'take over')
      pages.push(screen.takeOver({ render: () => [], renderScreen: () => now.rows.map((row) => `#page ${row}`) }));
    else if (now.do === 'give back') pages.pop()?.();
    else {
      const before = [terminal.columns, terminal.rows] as const;
      terminal.resize(now.columns, now.rows);
      if (now.back) terminal.resize(...before);
    }
    screen.requestFrame();
  };
  let shrunk = false;
  let size = { columns: terminal.columns, rows: terminal.rows };
  screen.start();
  for (const now of steps) {
    const writes = terminal.writes.length;
    act(now);
    await drawn();
    expect(terminal.writes.length - writes, 'writes for one frame').toBeLessThanOrEqual(1);
    shrunk ||= now.do === 'resize' && (now.columns < size.columns || now.rows < size.rows || now.back);
    size = { columns: terminal.columns, rows: terminal.rows };
    // What is appended meanwhile waits; a change of the size can leave stale rows, as on the main screen.
    if (pages.length > 0) continue;
    const contents = terminal.contents();
    expect(
      contents.filter((row) => row.startsWith('#')),
      `after ${now.do}`,
    ).toEqual(model);
    // A smaller screen may have fewer rows than the live ones take: the terminal moves the first of them up for good.
    if (!shrunk) expect(contents.slice(0, model.length), `above the live rows after ${now.do}`).toEqual(model);
  }
  expect(failures).toEqual([]);
  const written = terminal.writes.join('');
  expect(written.replaceAll(/\x1b\[\?1049h[^]*?(?:\x1b\[\?1049l|$)/g, '')).not.toMatch(/\x1b\[2J/);
  expect(written).not.toContain('\x1b[3J');
  expect(written).not.toMatch(/\x1b\[\d*S/);
}

for (const kind of [
  { inserts: true, answers: true },
  { inserts: true, answers: false },
  { inserts: false, answers: true },
]) {
  it(`keeps every finished row once and in order, ${kind.inserts ? 'with' : 'without'} inserted rows, on a terminal that ${kind.answers ? 'answers' : 'is silent'} (seed ${COMMON_SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 30 }),
        fc.tuple(fc.integer({ min: 2, max: 120 }), fc.integer({ min: 1, max: 40 })),
        (steps, size) => play(steps, size, kind),
      ),
      { numRuns: caseCount(25) },
    );
  });
}
