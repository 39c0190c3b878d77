/** The screen for screen readers: it only grows. */
import { caseCount } from '@tenon/test-kit/properties';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';

import { AppendScreen, type Component, CURSOR_MARKER } from '../src/index.ts';
import { Emulator } from './support/emulator.ts';
import { text } from './support/text.ts';

const open: AppendScreen[] = [];
afterEach(() => {
  for (const screen of open.splice(0)) screen.stop();
});

/** Everything that moves the cursor elsewhere than back in its line, erases, inserts, deletes or scrolls. */
// oxlint-disable-next-line no-control-regex -- control sequences are what this is about
const REWRITES = /\x1b(?:\[[\d;?]*[@A-HJ-MPSTXfd`a]|[78MDEc])|[\x0b\x0c]/;

function setUp(component: Component, columns = 40) {
  const terminal = new Emulator(columns, 12);
  const screen = new AppendScreen({
    terminal,
    text,
    frameInterval: 0,
    onError: (error) => {
      throw error;
    },
  });
  open.push(screen);
  screen.add(component);
  screen.setFocus(component);
  screen.start();
  const frame = async () => {
    const before = terminal.writes.length;
    screen.requestFrame();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await terminal.settle();
    return terminal.writes.slice(before).join('');
  };
  return { terminal, screen, frame };
}

class List implements Component {
  at = 0;
  title = 'Models';
  readonly items: readonly string[];

  constructor(items: readonly string[]) {
    this.items = items;
  }

  render(): string[] {
    const rows = this.items.map((item, index) => `${index === this.at ? '❯' : ' '} ${item}`);
    return [`${this.title}  ${this.at + 1}/${this.items.length}`, `> ${CURSOR_MARKER}`, ...rows];
  }

  spoken(): string {
    return `${this.items[this.at]}, ${this.at + 1} of ${this.items.length}`;
  }
}

describe('a list', () => {
  it('is told when it opens; then each choice is one new line', async () => {
    const list = new List(['one', 'two', 'three']);
    const { terminal, frame } = setUp(list);
    await frame();
    expect(terminal.contents()).toEqual(['Models  1/3', '❯ one', '  two', '  three', 'one, 1 of 3']);
    list.at = 1;
    expect(await frame()).toBe('\r\ntwo, 2 of 3');
    list.at = 2;
    expect(await frame()).toBe('\r\nthree, 3 of 3');
    expect(await frame()).toBe('');
    list.title = 'Other models';
    await frame();
    expect(terminal.contents().slice(-2)).toEqual(['Other models  3/3', 'three, 3 of 3']);
  });
});

it('breaks what it tells where the terminal would cut it', async () => {
  const { terminal, frame } = setUp(
    { render: () => [], spoken: () => 'a long name, and what it is about, 3 of 12' },
    20,
  );
  await frame();
  expect(terminal.contents()).toEqual(['a long name, and', 'what it is about, 3', 'of 12']);
});

describe('a line to write in', () => {
  it('takes letters and gives them back as a shell does; any other change is a new line', async () => {
    let [draft, caret] = ['', 0];
    const { terminal, screen, frame } = setUp({
      render: () => [`Prompt: ${draft.slice(0, caret)}${CURSOR_MARKER}${draft.slice(caret)}`],
    });
    const write = (value: string, at = value.length) => {
      [draft, caret] = [value, at];
      return frame();
    };
    await frame();
    expect(terminal.contents()).toEqual(['Prompt:']);
    expect(await write('h')).toBe('h');
    expect(await write('hello')).toBe('ello');
    expect(await write('hell')).toBe('\b \b');
    expect(await write('hell', 2)).toBe('\b\b');
    expect(terminal.cursor().column).toBe('Prompt: he'.length);
    expect(await write('hell', 3)).toBe('l');
    expect(await write('helXl', 4)).toBe('\r\nPrompt: helXl\b');
    expect(await write('日本')).toBe('\r\nPrompt: 日本');
    expect(await write('日')).toBe('\b \b\b \b');
    screen.append(['The agent says something.']);
    await frame();
    screen.append(['And something else.']);
    await frame();
    await until(() => terminal.writes.join('').endsWith('something else.\r\nPrompt: 日'), 'the prompt again');
    await terminal.settle();
    expect(terminal.contents()).toEqual([
      'Prompt: hell',
      'Prompt: helXl',
      'Prompt: 日',
      'The agent says something.',
      'And something else.',
      'Prompt: 日',
    ]);
  });

  it('leaves the line when the draft goes on below it, and tells it once', async () => {
    let rows = [`Prompt: one${CURSOR_MARKER}`];
    const { terminal, frame } = setUp({ render: () => rows });
    await frame();
    rows = ['Prompt: one', `        ${CURSOR_MARKER}`];
    await frame();
    rows = ['Prompt: one', `        two${CURSOR_MARKER}`];
    await frame();
    expect(terminal.contents()).toEqual(['Prompt: one', '        two']);
  });
});

it('never rewrites what it has written, whatever components, pages, keys and sizes do', async () => {
  const word = fc.stringMatching(/^[a-z日é ]{0,12}$/);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('rows' as const), rows: fc.array(word, { maxLength: 6 }) }),
    fc.record({ kind: fc.constant('draft' as const), draft: word, caret: fc.nat(12) }),
    fc.record({ kind: fc.constant('spoken' as const), spoken: fc.option(word, { nil: undefined }) }),
    fc.record({ kind: fc.constant('append' as const), rows: fc.array(word, { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('page' as const) }),
    fc.record({ kind: fc.constant('redraw' as const) }),
    fc.record({ kind: fc.constant('size' as const), columns: fc.integer({ min: 1, max: 60 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      let state = { rows: [] as readonly string[], draft: '', caret: 0, spoken: undefined as string | undefined };
      let close: (() => void) | undefined;
      const { terminal, screen, frame } = setUp({
        render: () => [
          ...state.rows,
          `> ${state.draft.slice(0, state.caret)}${CURSOR_MARKER}${state.draft.slice(state.caret)}`,
        ],
        spoken: () => state.spoken,
      });
      let appended: string[] = [];
      for (const given of steps) {
        if (given.kind === 'rows' || given.kind === 'draft' || given.kind === 'spoken') state = { ...state, ...given };
        else if (given.kind === 'append') {
          screen.append(given.rows);
          appended = [...appended, ...given.rows];
        } else if (given.kind === 'redraw') screen.redraw(['again']);
        else if (given.kind === 'size') terminal.resize(given.columns, 12);
        else if (close) close = void close();
        else close = screen.takeOver({ render: () => ['a page', ...state.rows] });
        await frame();
      }
      screen.stop();
      const written = terminal.writes.join('');
      expect(REWRITES.exec(written)?.[0]).toBeUndefined();
      expect(written).not.toContain('\x1b[?1049h');
      if (steps.every(({ kind }) => kind !== 'size' && kind !== 'redraw'))
        for (const row of appended) expect(written).toContain(row.trimEnd());
    }),
    { numRuns: caseCount(60) },
  );
});

it('is quiet when nothing changes, and when only numbers do', async () => {
  let seconds = 9;
  const { frame } = setUp({ render: () => [`answers itself in ${(seconds -= 1)} s`, `> ${CURSOR_MARKER}`] });
  await frame();
  expect(await frame()).toBe('');
  await until(async () => (await frame()) === '');
});
