/** The components that extensions import of pi-tui, and Tenon's side of one that lives elsewhere. */
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { CustomEditor } from '../src/runtime/custom-editor.ts';
import { RemoteRows } from '../src/host/remote-rows.ts';
import { createTheme, componentThemes } from '../src/runtime/shims/theme.ts';
import {
  Box,
  CancellableLoader,
  CURSOR_MARKER,
  Editor,
  getEditorKeybindings,
  Input,
  isKeyRelease,
  Key,
  Markdown,
  matchesKey,
  parseKey,
  SelectList,
  SettingsList,
  Text,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from '../src/runtime/shims/tui.ts';
import { cutRows, MAX_CHARS, MAX_ROWS } from '../src/screen-limits.ts';

const [UP, DOWN, LEFT, ENTER, ESCAPE] = ['\u001b[A', '\u001b[B', '\u001b[D', '\r', '\u001b'];
// oxlint-disable-next-line no-control-regex -- styles are control sequences
const STYLES = /\u001b\[[\d;]*m/g;
const bare = (text: string) => text.replaceAll(STYLES, '').replaceAll(CURSOR_MARKER, '');
const theme = createTheme(() => ({ name: 'x', isDark: true, colors: { accent: '\u001b[32m' } }));
const themes = componentThemes(theme);

const styled = fc
  .array(
    fc.oneof(
      fc.constantFrom('\u001b[31m', '\u001b[1m', '\u001b[0m', '\u001b[38;5;42m', '\u001b[48;2;1;2;3m', ' ', '  ', '\n'),
      fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replaceAll(/[\p{Cc}\p{Cf}\p{M}]/gu, '')),
      fc.constantFrom('日本語', '👨‍👩‍👧', 'é', 'wörter'),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

describe('text', () => {
  test('that is wrapped fits, keeps its characters, and every row has the styles it needs and ends them', () => {
    fc.assert(
      fc.property(styled, fc.integer({ min: 2, max: 40 }), (text, width) => {
        const rows = wrapTextWithAnsi(text, width);
        for (const row of rows) {
          expect(visibleWidth(row)).toBeLessThanOrEqual(width);
          const last = row.match(STYLES)?.at(-1);
          expect([undefined, '\u001b[0m']).toContain(last);
        }
        expect(rows.map(bare).join('').replaceAll(/\s/g, '')).toBe(bare(text).replaceAll(/\s/g, ''));
      }),
    );
  });

  test('that is cut fits', () => {
    fc.assert(
      fc.property(styled, fc.integer({ min: 0, max: 40 }), (text, width) => {
        expect(visibleWidth(truncateToWidth(text.replaceAll('\n', ''), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('carries a colour over the break, and a box paints whole rows', () => {
    expect(wrapTextWithAnsi('\u001b[31mone two\u001b[0m', 3)).toEqual([
      '\u001b[31mone\u001b[0m',
      '\u001b[31mtwo\u001b[0m',
    ]);
    const box = new Box(1, 0, (row) => `<${row}>`);
    box.addChild(new Text('hi', 0, 0));
    expect(box.render(6)).toEqual(['< hi   >']);
    expect(visibleWidth(`a${CURSOR_MARKER}b`)).toBe(2);
  });

  test('in Markdown has its marks taken out and its blocks told apart', () => {
    const text = '# Title\n\nSome **bold** `code` and [site](https://x.example).\n- item\n> said\n```js\nlet a;\n```';
    const rows = new Markdown(text, 0, 0, themes.getMarkdownTheme()).render(60).map(bare);
    expect(rows).toEqual([
      'Title',
      '',
      'Some bold code and site (https://x.example).',
      '• item',
      '│ said',
      '```js',
      '  let a;',
      '```',
    ]);
  });
});

test('keys have one name in every form that terminals send', () => {
  expect([matchesKey('\u001b[99;5u', 'ctrl+c'), matchesKey('\u0003', Key['escape'] as string)]).toEqual([true, false]);
  expect([matchesKey('\u001b[1;5D', 'ctrl+left'), matchesKey('\u001b[Z', 'shift+tab')]).toEqual([true, true]);
  expect([matchesKey('A', 'shift+a'), matchesKey('A', 'a'), matchesKey('\n', 'enter')]).toEqual([true, false, true]);
  expect([parseKey('\u001b[5~'), parseKey('x'), parseKey('\u0001')]).toEqual(['pageUp', 'x', 'ctrl+a']);
  expect([isKeyRelease('\u001b[97;1:3u'), isKeyRelease('a')]).toEqual([true, false]);
  const bindings = getEditorKeybindings();
  for (const action of ['selectCancel', 'tui.select.cancel']) expect(bindings.matches(ESCAPE, action)).toBe(true);
  expect(bindings.matches('\u000f', 'app.tools.expand')).toBe(true);
});

describe('lists', () => {
  test('move, wrap around, filter and give what was chosen', () => {
    const list = new SelectList(
      ['one', 'two', 'three'].map((value) => ({ value, description: `about ${value}` })),
      2,
      themes.getSelectListTheme(),
    );
    const chosen: string[] = [];
    list.onSelect = ({ value }) => chosen.push(value);
    for (const key of [UP, ENTER, DOWN, DOWN, ENTER]) list.handleInput(key);
    expect(chosen).toEqual(['three', 'two']);
    expect(list.render(60).map(bare)).toEqual(['  one    about one', '→ two    about two', '  (2/3)']);
    list.setFilter('thr');
    expect(list.getSelectedItem()?.value).toBe('three');
    list.setFilter('nothing');
    list.handleInput(DOWN);
    expect([list.getSelectedItem(), list.render(60).length]).toEqual([null, 1]);
  });

  test('of settings change values in turn, or by a menu of their own', () => {
    const changes: string[] = [];
    let isCancelled = false;
    const list = new SettingsList(
      [
        { id: 'a', label: 'Sound', currentValue: 'on', values: ['on', 'off'] },
        {
          id: 'b',
          label: 'Colour',
          description: 'Of everything',
          currentValue: 'red',
          submenu: (current, done) => ({
            render: () => [`now ${current}`],
            handleInput: (data) => done(data === 'g' ? 'green' : undefined),
          }),
        },
      ],
      5,
      themes.getSettingsListTheme(),
      (id, value) => changes.push(`${id}=${value}`),
      () => (isCancelled = true),
    );
    for (const key of [ENTER, ' ', DOWN, ENTER]) list.handleInput(key);
    expect(list.render(40)).toEqual(['now red']);
    list.handleInput('g');
    expect(changes).toEqual(['a=off', 'a=on', 'b=green']);
    expect(list.render(40).map(bare).join('\n')).toContain('→ Colour  green');
    list.handleInput(ESCAPE);
    expect(isCancelled).toBe(true);
  });
});

describe('editors', () => {
  test('hold what was typed, wherever the caret went, and their rows fit', () => {
    const key = fc.oneof(
      fc.constantFrom(
        UP,
        DOWN,
        LEFT,
        '\u001b[C',
        '\u007f',
        '\u001b[3~',
        '\u0001',
        '\u0005',
        '\u000b',
        '\u0017',
        '\u001b\r',
      ),
      fc.constantFrom('\u001b[200~one\ntwo\u001b[201~', '日', 'é', '👩‍👧', ' ', 'word'),
      fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme-ascii' }),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), fc.integer({ min: 3, max: 30 }), (keys, width) => {
        const editor = new Editor();
        let told = '';
        editor.onChange = (text) => (told = text);
        editor.focused = true;
        for (const data of keys) {
          editor.handleInput(data);
          const rows = editor.render(width);
          for (const row of rows) expect(visibleWidth(row)).toBeLessThanOrEqual(width + 1);
          expect(rows.filter((row) => row.includes(CURSOR_MARKER))).toHaveLength(1);
          const { line, col } = editor.getCursor();
          expect(col).toBeLessThanOrEqual(editor.getLines()[line]?.length ?? -1);
        }
        if (keys.length > 0 && told !== '') expect(editor.getText()).toBe(told);
      }),
    );
  });

  test('send, remember what was sent, and take changes back', () => {
    const editor = new CustomEditor();
    const sent: string[] = [];
    editor.onSubmit = (text) => sent.push(text);
    for (const data of ['h', 'i', ENTER]) editor.handleInput(data);
    editor.addToHistory('hi');
    expect([sent, editor.getText()]).toEqual([['hi'], '']);
    editor.handleInput(UP);
    expect(editor.getText()).toBe('hi');
    editor.handleInput('\u0015');
    expect(editor.getText()).toBe('');
    editor.handleInput('\u0019');
    expect(editor.getText()).toBe('hi');
    editor.handleInput('\u001f');
    expect(editor.getText()).toBe('');
  });

  test('of one line keep the caret in sight', () => {
    const input = new Input();
    input.focused = true;
    for (const letter of 'a long text that does not fit') input.handleInput(letter);
    const [row = ''] = input.render(12);
    expect([visibleWidth(row) <= 12, row.includes(CURSOR_MARKER)]).toEqual([true, true]);
    input.handleInput('\u0017');
    expect(input.getValue()).toBe('a long text that does not ');
  });

  test('loaders stop with Esc', () => {
    const loader = new CancellableLoader();
    loader.handleInput(ESCAPE);
    expect([loader.aborted, loader.signal.aborted]).toEqual([true, true]);
  });
});

describe('a component elsewhere', () => {
  test('gets every key once and in order, and is asked for rows one at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.string({ minLength: 1, maxLength: 3 }), fc.constant(undefined)), { maxLength: 40 }),
        async (steps) => {
          const heard: string[] = [];
          let drawing = 0;
          let most = 0;
          const rows = new RemoteRows(10, {
            send: async (what, value) => {
              if (what === 'draw') most = Math.max(most, ++drawing);
              await Promise.resolve();
              if (what === 'draw') drawing--;
              if (what === 'input') heard.push(...(value as string[]));
              return what === 'draw' ? [`${heard.length}`] : null;
            },
            changed: () => undefined,
            abandoned: () => undefined,
          });
          for (const step of steps) {
            if (step === undefined) await Promise.resolve();
            else rows.handleInput(step);
            rows.refresh();
            rows.render(10);
          }
          for (let turn = 0; turn < 200; turn++) await Promise.resolve();
          rows.close();
          expect(heard).toEqual(steps.filter((step) => step !== undefined));
          expect(most).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: caseCount(50) },
    );
  });

  test('keeps its last rows while new ones come, and never asks more often than thirty times a second', async () => {
    vi.useFakeTimers();
    try {
      let drawn = 0;
      const rows = new RemoteRows(20, {
        send: async (what, value) => (what === 'draw' ? [`row ${++drawn} of ${String(value)}`] : null),
        changed: () => undefined,
        abandoned: () => undefined,
      });
      expect(rows.render(20)).toEqual([]);
      await vi.advanceTimersByTimeAsync(0);
      expect(rows.render(20)).toEqual(['row 1 of 20']);
      expect(rows.render(30)).toEqual(['row 1 of 20']);
      for (let ms = 0; ms < 1_000; ms++) {
        rows.refresh();
        await vi.advanceTimersByTimeAsync(1);
      }
      expect(drawn).toBeLessThanOrEqual(32);
      expect(rows.render(30)).toEqual([`row ${drawn} of 30`]);
      rows.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('shows no more than a screen could', () => {
    const many = cutRows(Array.from({ length: 3_000 }, () => 'x'.repeat(50_000)));
    expect(many.length).toBeLessThanOrEqual(MAX_ROWS);
    expect(many.join('').length).toBeLessThanOrEqual(MAX_CHARS);
  });
});
