import { CURSOR_MARKER } from '@tenon/screen';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { snapToBorder } from '../src/editor/graphemes.ts';
import { EDITOR_KEYS, type Editor, LineInput, matchesKey } from '../src/editor/index.ts';
import {
  caretOf,
  colouredTheme,
  KEYS,
  makeEditor,
  paste,
  plainTheme,
  press,
  rowsOf,
  text,
  type,
} from './editor-support.ts';

const FAMILY = '👨‍👩‍👧‍👦';

const typed = fc.constantFrom(
  'a',
  'B',
  ' ',
  '.',
  '/',
  '@',
  '\\',
  'é',
  '漢',
  '👍',
  '\u0301',
  '\u200d',
  'ש',
  'م',
  '🇩🇪',
  '\u{10f000}',
);
const pasted = fc
  .array(
    fc.constantFrom(
      'word ',
      'x',
      '\t',
      '\r',
      '漢字',
      FAMILY,
      '\x1b[31m',
      '\x07',
      'long '.repeat(30),
      'שלום ',
      '\u{10f001}',
      'l\n'.repeat(12),
    ),
    { maxLength: 8 },
  )
  .map((parts) => paste(parts.join('')));
const named = fc.constantFrom(...Object.values(KEYS));
const anyKey = fc.oneof(
  { weight: 3, arbitrary: typed },
  { weight: 4, arbitrary: named },
  { weight: 1, arbitrary: pasted },
);
const WIDTHS = [1, 2, 3, 5, 8, 13, 40, 80, 400];

function expectSoundRows(target: { render(width: number): string[] }, widths: readonly number[]): void {
  for (const width of widths) {
    const rows = target.render(width);
    for (const row of rows) {
      const shown = row.replaceAll(CURSOR_MARKER, '');
      expect(text.width(shown), `${JSON.stringify(shown)} at ${width}`).toBeLessThanOrEqual(width);
      expect(shown).not.toContain('\n');
      expect(text.sanitize(shown, { keepStyle: true })).toBe(shown);
    }
    expect(rows.join('').split(CURSOR_MARKER)).toHaveLength(2);
  }
}

function expectSoundCaret(editor: Editor): void {
  const { line, offset } = editor.caret;
  expect(line).toBeGreaterThanOrEqual(0);
  expect(Number.isInteger(offset) && offset >= 0).toBe(true);
  if (editor.units.length > 0) return;
  const lines = editor.text.split('\n');
  expect(line).toBeLessThan(lines.length);
  expect(snapToBorder(lines[line] ?? '', offset)).toBe(offset);
}

it('keeps its promises under any keys, plain and vi: rows fit, and one caret between graphemes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyKey, { maxLength: 40 }),
      fc.boolean(),
      fc.constantFrom(...WIDTHS),
      fc.integer({ min: 1, max: 6 }),
      async (keys, isVi, width, maxRows) => {
        const editor = makeEditor({
          theme: () => colouredTheme,
          marker: '> ',
          placeholder: 'Ask\tanything',
          maxRows: () => maxRows,
          sources: [
            {
              complete: async (_line, caret) => ({
                from: Math.max(0, caret - 1),
                items: [{ value: 'val', label: 'la\x1b[2Jbel', detail: 'détail' }],
              }),
            },
          ],
          onSubmit: () => false,
        });
        editor.addHistory(['older prompt', 'two\nlines']);
        if (isVi) editor.mode = 'vi';
        for (const key of keys) {
          editor.handleInput(key);
          expectSoundCaret(editor);
          expectSoundRows(editor, [width]);
        }
        await new Promise((resolve) => setImmediate(resolve));
        expectSoundRows(editor, WIDTHS);
        expect(text.sanitize(editor.expandedText, { keepStyle: false })).toBe(editor.expandedText);
      },
    ),
    { numRuns: caseCount(300) },
  );
});

it('comes back to the start by undo after any keys that edit', () => {
  const EDITS = [
    'backspace',
    'delete',
    'newline',
    'left',
    'right',
    'up',
    'down',
    'home',
    'end',
    'wordLeft',
    'wordRight',
    'killToEnd',
    'killToStart',
    'killWordBack',
    'killWordForward',
    'yank',
    'yankPop',
    'undo',
    'redo',
  ] as const;
  const key = fc.oneof(
    { weight: 3, arbitrary: typed },
    { weight: 4, arbitrary: fc.constantFrom(...EDITS).map((name) => KEYS[name]) },
    { weight: 1, arbitrary: pasted },
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const editor = makeEditor();
      editor.setDraft('start of it');
      for (const data of keys) editor.handleInput(data);
      for (let step = 0; step <= keys.length; step += 1) press(editor, 'undo');
      expect(editor.text).toBe('start of it');
    }),
  );
});

it('draws borders without sides, the marker once, and the caret after what was typed', () => {
  const editor = makeEditor({ marker: '> ', placeholder: 'Ask anything' });
  expect(rowsOf(editor, 20)).toEqual(['─'.repeat(20), '> Ask anything', '─'.repeat(20)]);
  expect(caretOf(editor, 20)).toEqual([1, 2]);
  type(editor, 'hello');
  press(editor, 'newline');
  type(editor, 'world');
  expect(rowsOf(editor, 20)).toEqual(['─'.repeat(20), '> hello', '  world', '─'.repeat(20)]);
  expect(caretOf(editor, 20)).toEqual([2, 7]);
});

it('draws no borders where the host wants none, as for screen readers', () => {
  const editor = makeEditor({ hasBorders: false, marker: 'Prompt: ' });
  type(editor, 'hello');
  expect(rowsOf(editor, 20)).toEqual(['Prompt: hello']);
});

it('puts the caret where an input method opens: behind wide, joined, combined and right-to-left characters', () => {
  for (const [written, column] of [
    ['漢字', 4],
    [FAMILY, 2],
    ['e\u0301', 1],
    ['שלום', 4],
    ['a\tb', 5],
  ] as const) {
    const editor = makeEditor();
    editor.insert(written);
    expect(caretOf(editor, 40), written).toEqual([1, column]);
  }
});

it('moves over and deletes whole graphemes', () => {
  const editor = makeEditor();
  editor.insert(`a${FAMILY}e\u0301b`);
  press(editor, 'left', 'left');
  expect(editor.caret.offset).toBe(1 + FAMILY.length);
  press(editor, 'backspace');
  expect(editor.text).toBe('ae\u0301b');
  press(editor, 'delete');
  expect(editor.text).toBe('ab');
});

it('moves by rows as they are shown and comes back to the column after a shorter row', () => {
  const editor = makeEditor({ maxRows: () => 20 });
  editor.setDraft('0123456 abcdefg\nxy\nlast row here');
  editor.render(9);
  press(editor, 'textStart', 'right', 'right', 'right', 'down');
  expect(editor.caret).toEqual({ line: 0, offset: 11 });
  press(editor, 'down');
  expect(editor.caret).toEqual({ line: 1, offset: 2 });
  press(editor, 'down');
  expect(editor.caret).toEqual({ line: 2, offset: 3 });
  press(editor, 'up', 'up', 'up');
  expect(editor.caret).toEqual({ line: 0, offset: 3 });
});

it('goes to the end of the row, then of the line, and back likewise', () => {
  const editor = makeEditor();
  editor.setDraft('0123456 abcdefg');
  editor.render(9);
  press(editor, 'textStart', 'end');
  expect(editor.caret.offset).toBe(7);
  press(editor, 'end');
  expect(editor.caret.offset).toBe(15);
  press(editor, 'home');
  expect(editor.caret.offset).toBe(8);
  press(editor, 'home');
  expect(editor.caret.offset).toBe(0);
});

it('shows a window of the rows and says how many are hidden', () => {
  const editor = makeEditor({ maxRows: () => 3 });
  editor.setDraft(Array.from({ length: 10 }, (_, at) => `row ${at}`).join('\n'));
  expect(rowsOf(editor, 24)).toEqual(['── ↑ 7 more ────────────', 'row 7', 'row 8', 'row 9', '─'.repeat(24)]);
  press(editor, 'up', 'up', 'up');
  expect(rowsOf(editor, 24)).toEqual([
    '── ↑ 6 more ────────────',
    'row 6',
    'row 7',
    'row 8',
    '── ↓ 1 more ────────────',
  ]);
  press(editor, 'textStart');
  expect(rowsOf(editor, 24).slice(0, 2)).toEqual(['─'.repeat(24), 'row 0']);
});

it('kills and yanks: neighbouring kills are one, older kills come round', () => {
  const editor = makeEditor();
  type(editor, 'one two three');
  press(editor, 'killWordBack', 'killWordBack');
  expect(editor.text).toBe('one ');
  press(editor, 'killToStart');
  expect(editor.text).toBe('');
  press(editor, 'yank');
  expect(editor.text).toBe('one two three');
  press(editor, 'home', 'killWordForward', 'end', 'yank');
  expect(editor.text).toBe(' two threeone');
  press(editor, 'yankPop');
  expect(editor.text).toBe(' two threeone two three');
  press(editor, 'yankPop');
  expect(editor.text).toBe(' two threeone');
});

it('submits with Enter, and begins a line with Shift-Enter, Alt-Enter, Ctrl-J or a backslash before Enter', () => {
  const submitted: string[] = [];
  const editor = makeEditor({ onSubmit: (sent) => void submitted.push(sent) });
  type(editor, 'a');
  editor.handleInput('\x1b[13;2u');
  type(editor, 'b');
  editor.handleInput('\x1b\r');
  type(editor, 'c');
  editor.handleInput('\n');
  type(editor, 'd\\');
  press(editor, 'enter');
  type(editor, 'e');
  expect(submitted).toEqual([]);
  press(editor, 'enter');
  expect(submitted).toEqual(['a\nb\nc\nd\ne']);
  expect(editor.isEmpty).toBe(true);
  press(editor, 'undo');
  expect(editor.isEmpty).toBe(true);
});

it('keeps the draft with its pastes when the host does not take it', () => {
  const editor = makeEditor({ onSubmit: () => false });
  type(editor, 'see ');
  editor.handleInput(paste('line\n'.repeat(20)));
  press(editor, 'enter');
  expect(editor.text).toBe('see [paste #1: 20 lines]');
  expect(editor.expandedText).toBe(`see ${'line\n'.repeat(20)}`);
});

it('collapses a long paste into one unit that is moved over, deleted, undone and submitted whole', () => {
  const submitted: string[] = [];
  const editor = makeEditor({ onSubmit: (sent) => void submitted.push(sent) });
  const long = Array.from({ length: 42 }, (_, at) => `line ${at}`).join('\r');
  type(editor, 'x');
  editor.handleInput(paste(long));
  type(editor, 'y');
  expect(editor.text).toBe('x[paste #1: 42 lines]y');
  expect(rowsOf(editor, 40)[1]).toBe('x[paste #1: 42 lines]y');
  press(editor, 'left', 'left');
  expect(caretOf(editor, 40)).toEqual([1, 1]);
  press(editor, 'right', 'backspace');
  expect(editor.text).toBe('xy');
  press(editor, 'undo');
  editor.handleInput(paste('z'.repeat(1001)));
  expect(editor.text).toBe('x[paste #1: 42 lines][paste #2: 1001 characters]y');
  press(editor, 'enter');
  expect(submitted).toEqual([`x${long.replaceAll('\r', '\n')}${'z'.repeat(1001)}y`]);
});

it('keeps short pastes as text, without control characters and sequences, with tabs', () => {
  const editor = makeEditor();
  editor.handleInput(paste('a\tb\x1b[31mred\x1b[0m\x07\rnext\r\nlast\x1b]0;title\x07'));
  expect(editor.text).toBe('a\tbred\nnext\nlast');
  press(editor, 'undo');
  expect(editor.text).toBe('');
});

it('takes nothing that is pasted or typed for a unit of its own', () => {
  const editor = makeEditor();
  expect(editor.insertUnit('[image #1]', 'image.png')).toBe(true);
  editor.handleInput(paste('\u{10f000}'));
  expect(editor.text).toBe('[image #1]\ufffd');
  expect(editor.units).toEqual([{ label: '[image #1]', value: 'image.png' }]);
  expect(editor.expandedText).toBe('image.png\ufffd');
});

it('yanks a unit back after the prompt with it was submitted', () => {
  const submitted: string[] = [];
  const editor = makeEditor({ onSubmit: (sent) => void submitted.push(sent) });
  editor.handleInput(paste('z'.repeat(2000)));
  press(editor, 'killToStart', 'yank', 'enter', 'yank', 'enter');
  expect(submitted).toEqual(['z'.repeat(2000), 'z'.repeat(2000)]);
});

it('breaks only the rows that are near a change of a text of a megabyte', () => {
  const editor = makeEditor();
  for (const whole of ['some words in a row '.repeat(50_000), 'some words in a row\n'.repeat(50_000)]) {
    editor.setDraft(whole);
    editor.render(80);
    press(editor, 'textStart');
    editor.render(80);
    for (let moved = 0; moved < 20; moved += 1) press(editor, 'down');
    editor.render(80);
    const before = editor.rowsBroken;
    for (let at = 0; at < 100; at += 1) {
      type(editor, 'x');
      press(editor, at % 3 === 0 ? 'backspace' : 'left');
      editor.render(80);
    }
    // The whole text has 12,500 rows or more; each of the 134 changes would break all of them.
    expect(editor.rowsBroken - before).toBeLessThan(134 * 300);
  }
});

it('does not break a long paste into rows at all', () => {
  const editor = makeEditor();
  editor.handleInput(paste('some words in a row\r'.repeat(50_000)));
  editor.render(80);
  expect(editor.rowsBroken).toBeLessThan(5);
  expect(editor.expandedText).toHaveLength(1_000_000);
});

it('matches keys by name in the forms that terminals send', () => {
  for (const [data, spec] of [
    ['\x01', 'ctrl+a'],
    ['\x1b[97;6u', 'ctrl+shift+a'],
    ['\x1b[97;6u', 'shift+ctrl+A'],
    ['\x1b\r', 'alt+enter'],
    ['\x1b[13;3u', 'option+return'],
    ['\x1b', 'escape'],
    ['\x1b', 'esc'],
    ['\x1b[15~', 'f5'],
    ['\x1f', 'ctrl+_'],
    ['\x1b[45;5u', 'ctrl+-'],
    ['G', 'shift+g'],
    ['G', 'G'],
    ['?', '?'],
    ['\x1b[47:63;2u', '?'],
    ['\x1b[43;5u', 'ctrl++'],
    [' ', 'space'],
    ['\x1b[Z', 'shift+tab'],
  ] as const) {
    expect(matchesKey(data, spec), `${JSON.stringify(data)} is ${spec}`).toBe(true);
  }
  for (const [data, spec] of [
    ['\x01', 'a'],
    ['a', 'ctrl+a'],
    ['\x1b[97;6u', 'ctrl+a'],
    ['\x1b[97;5:3u', 'ctrl+a'],
    ['g', 'G'],
    ['\r', 'alt+enter'],
    ['\x1a', EDITOR_KEYS['editor.undo'].keys[0]],
  ] as const) {
    expect(matchesKey(data, spec), `${JSON.stringify(data)} is not ${spec}`).toBe(false);
  }
});

it('lets the host decide which key means what', () => {
  const submitted: string[] = [];
  const editor = makeEditor({
    keys: (data, action) => action === 'editor.submit' && matchesKey(data, 'ctrl+s'),
    onSubmit: (sent) => void submitted.push(sent),
  });
  type(editor, 'hi');
  press(editor, 'enter', 'killToStart');
  expect(editor.text).toBe('hi');
  editor.handleInput('\x13');
  expect(submitted).toEqual(['hi']);
});

it('edits one line with the same keys, shows the part around the caret, and hides secrets', () => {
  const submitted: string[] = [];
  const input = new LineInput({
    text,
    theme: () => plainTheme,
    marker: '? ',
    onSubmit: (sent) => submitted.push(sent),
  });
  input.handleInput(paste('one\ntwo'));
  type(input, ' three');
  press(input, 'killWordBack', 'yank', 'newline');
  expect(input.text).toBe('one two three');
  expect(rowsOf(input, 8)).toEqual(['? three']);
  press(input, 'home');
  expect(rowsOf(input, 8)).toEqual(['? one tw']);
  press(input, 'enter');
  expect(submitted).toEqual(['one two three']);
  const secret = new LineInput({ text, theme: () => plainTheme, mask: '•' });
  type(secret, 'pass word');
  expect(rowsOf(secret, 20)).toEqual(['•••••••••']);
  press(secret, 'wordLeft');
  expect(secret.caret).toBe(0);
});

it('draws one line soundly under any keys', () => {
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 30 }), fc.boolean(), (keys, isSecret) => {
      const input = new LineInput({
        text,
        theme: () => colouredTheme,
        marker: '> ',
        placeholder: 'x',
        ...(isSecret ? { mask: '*' } : {}),
      });
      for (const key of keys) input.handleInput(key);
      expect(input.text).not.toContain('\n');
      expectSoundRows(input, WIDTHS);
    }),
  );
});
