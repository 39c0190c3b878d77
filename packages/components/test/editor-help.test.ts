import fc from 'fast-check';
import { until } from '@tenon/test-kit/waiting';
import { expect, it } from 'vitest';

import type { CompletionItem, Completions, CompletionSource } from '../src/editor/index.ts';
import { caretOf, makeEditor, paste, press, rowsOf, type } from './editor-support.ts';

/** A source whose answers the test gives. */
function heldSource() {
  const asked: {
    line: string;
    caret: number;
    signal: AbortSignal;
    answer: (found?: Completions) => void;
    fail: (error: Error) => void;
  }[] = [];
  const source: CompletionSource = {
    complete: (line, caret, signal) =>
      new Promise((answer, fail) => {
        asked.push({ line, caret, signal, answer, fail });
      }),
  };
  return { asked, source };
}

const COMMANDS = ['/help', '/history', '/model'];
const items = (...values: string[]): CompletionItem[] => values.map((value) => ({ value, label: value }));

/** Slash commands, found at once. */
const commands: CompletionSource = {
  complete: async (line, caret) => ({
    from: 0,
    items: items(...COMMANDS.filter((name) => name.startsWith(line.slice(0, caret)))),
  }),
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

it('walks earlier prompts with the arrows and gives the draft back, also over prompts of many lines', () => {
  const editor = makeEditor();
  editor.addHistory(['first', 'second\nline two\nline three', 'second\nline two\nline three']);
  type(editor, 'my draft');
  press(editor, 'left', 'left', 'up');
  expect(editor.text).toBe('second\nline two\nline three');
  expect(editor.caret).toEqual({ line: 0, offset: 6 });
  press(editor, 'up');
  expect(editor.text).toBe('first');
  press(editor, 'up', 'up');
  expect(editor.text).toBe('first');
  expect(editor.caret.offset).toBe(0);
  press(editor, 'down');
  expect(editor.caret).toEqual({ line: 2, offset: 10 });
  press(editor, 'down');
  expect(editor.text).toBe('my draft');
  expect(editor.caret.offset).toBe(6);
});

it('keeps what was changed in earlier prompts until something is sent, as readline does', () => {
  const editor = makeEditor();
  editor.addHistory(['one', 'two']);
  type(editor, 'draft');
  press(editor, 'up');
  type(editor, '!');
  press(editor, 'up');
  type(editor, '?');
  press(editor, 'down');
  expect(editor.text).toBe('two!');
  press(editor, 'down');
  expect(editor.text).toBe('draft');
  press(editor, 'up', 'up');
  expect(editor.text).toBe('one?');
  press(editor, 'enter', 'up');
  expect(editor.text).toBe('two');
});

it('walks and changes earlier prompts as a list of lines does, under random keys', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('up' as const, 'down' as const) },
    { weight: 2, arbitrary: fc.constantFrom('x', 'y').map((typed) => ({ typed })) },
    { weight: 1, arbitrary: fc.constantFrom('backspace' as const, 'enter' as const) },
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }),
      fc.array(step),
      (prompts, steps) => {
        const editor = makeEditor();
        editor.addHistory(prompts);
        // The model: a line for each prompt and one for the draft, which are put back when something is sent.
        let [lines, at] = [[...prompts, ''], prompts.length];
        for (const key of steps) {
          if (typeof key === 'object') {
            press(editor, 'end');
            type(editor, key.typed);
            lines[at] += key.typed;
          } else if (key === 'backspace') {
            press(editor, 'end', 'backspace');
            lines[at] = (lines[at] ?? '').slice(0, -1);
          } else {
            press(editor, key);
            if (key === 'up') at = Math.max(0, at - 1);
            else if (key === 'down') at = Math.min(prompts.length, at + 1);
            else [lines, at] = [[...prompts, ''], prompts.length];
          }
          expect(editor.text).toBe(lines[at]);
        }
      },
    ),
  );
});

it('opens no list of completions on a walk over slash commands', async () => {
  const editor = makeEditor({ sources: [commands] });
  editor.addHistory(['/help', '/model']);
  press(editor, 'up');
  await settled();
  press(editor, 'up');
  await settled();
  expect(editor.text).toBe('/help');
  expect(editor.isBusy).toBe(false);
});

it('keeps the pastes of a draft through a walk', () => {
  const editor = makeEditor();
  editor.addHistory(['first']);
  editor.handleInput(paste('x\n'.repeat(30)));
  press(editor, 'up', 'down');
  expect(editor.text).toBe('[paste #1: 30 lines]');
  expect(editor.expandedText).toBe('x\n'.repeat(30));
});

it('searches earlier prompts while words are typed; Escape gives the draft back, Enter takes without submitting', async () => {
  const submitted: string[] = [];
  const editor = makeEditor({ onSubmit: (sent) => void submitted.push(sent) });
  editor.addHistory(['fix the parser', 'write docs', 'fix the lexer']);
  type(editor, 'draft');
  press(editor, 'search');
  type(editor, 'fix');
  await settled();
  expect(rowsOf(editor, 40).slice(1)).toEqual(['fix the lexer', '─'.repeat(40), 'search: fix 1/2']);
  expect(caretOf(editor, 40)).toEqual([3, 11]);
  press(editor, 'escape');
  expect(editor.text).toBe('draft');
  press(editor, 'search');
  type(editor, 'the fix');
  await settled();
  press(editor, 'search');
  expect(rowsOf(editor, 40)[1]).toBe('fix the parser');
  press(editor, 'enter');
  expect(editor.text).toBe('fix the parser');
  expect(submitted).toEqual([]);
  press(editor, 'undo');
  expect(editor.text).toBe('draft');
});

it('shows the answer for the words as they are now, whatever comes late, and survives a search that fails', async () => {
  const answers: ((prompts: readonly string[]) => void)[] = [];
  const errors: unknown[] = [];
  let isBroken = false;
  const editor = makeEditor({
    searchHistory: (words) =>
      isBroken ? Promise.reject(new Error(`no ${words}`)) : new Promise((answer) => answers.push(answer)),
    onError: (error) => errors.push(error),
  });
  press(editor, 'search');
  type(editor, 'ab');
  answers[2]?.(['for ab']);
  await settled();
  answers[1]?.(['for a']);
  await settled();
  expect(rowsOf(editor, 40)[1]).toBe('for ab');
  isBroken = true;
  type(editor, 'c');
  await settled();
  expect(errors).toHaveLength(1);
  expect(rowsOf(editor, 40).at(-1)).toBe('search: abc no match');
  press(editor, 'backspace', 'enter');
  expect(editor.text).toBe('');
});

it('completes slash commands at the beginning as they are typed; arrows select, Tab takes', async () => {
  const editor = makeEditor({ sources: [commands] });
  type(editor, '/');
  await settled();
  expect(rowsOf(editor, 20).slice(3)).toEqual(['→ /help', '  /history', '  /model']);
  type(editor, 'h');
  await settled();
  press(editor, 'down', 'tab');
  expect(editor.text).toBe('/history');
});

it('takes with Enter, and submits with Enter what is already there', async () => {
  const submitted: string[] = [];
  const editor = makeEditor({ sources: [commands], onSubmit: (sent) => void submitted.push(sent) });
  type(editor, '/mo');
  await settled();
  press(editor, 'enter');
  await settled();
  expect([editor.text, submitted]).toEqual(['/model', []]);
  press(editor, 'enter');
  expect(submitted).toEqual(['/model']);
});

it('submits at once with Enter where the item says so, but not with Tab', async () => {
  const submitted: string[] = [];
  const source: CompletionSource = {
    complete: async () => ({ from: 0, items: [{ value: '/quit', label: 'quit', submits: true }] }),
  };
  const editor = makeEditor({ sources: [source], onSubmit: (sent) => void submitted.push(sent) });
  type(editor, '/');
  await settled();
  press(editor, 'tab');
  expect([editor.text, submitted]).toEqual(['/quit', []]);
  editor.setDraft('');
  type(editor, '/');
  await settled();
  press(editor, 'enter');
  expect(submitted).toEqual(['/quit']);
});

it('asks after an at sign at the start of a word, on Tab anywhere, and not while ordinary words are typed', async () => {
  const { asked, source } = heldSource();
  const editor = makeEditor({ sources: [source] });
  type(editor, 'see a@b /x');
  expect(asked).toHaveLength(0);
  type(editor, ' @s');
  expect(asked.map(({ line, caret }) => [line, caret])).toEqual([
    ['see a@b /x @', 12],
    ['see a@b /x @s', 13],
  ]);
  type(editor, ' src');
  const before = asked.length;
  press(editor, 'tab');
  expect(asked).toHaveLength(before + 1);
  asked.at(-1)?.answer({ from: 14, items: items('src/') });
  await settled();
  expect(editor.text).toBe('see a@b /x @s src/');
});

it('drops answers for an older text and tells the source to stop, while typing goes on', async () => {
  const { asked, source } = heldSource();
  const editor = makeEditor({ sources: [source] });
  type(editor, '@a');
  expect(asked[0]?.signal.aborted).toBe(true);
  asked[1]?.answer({ from: 0, items: items('@abc') });
  await settled();
  asked[0]?.answer({ from: 0, items: items('@old') });
  await settled();
  expect(rowsOf(editor, 20).at(-1)).toBe('→ @abc');
  type(editor, 'x');
  press(editor, 'tab');
  expect(editor.text).toBe('@ax');
  asked.at(-1)?.answer({ from: 0, items: items('@axis') });
  await settled();
  expect(editor.text).toBe('@axis');
});

it('does not take an answer for a text that the host has exchanged meanwhile', async () => {
  const { asked, source } = heldSource();
  const editor = makeEditor({ sources: [source] });
  type(editor, 'sr');
  press(editor, 'tab');
  editor.insert('c and more');
  asked[0]?.answer({ from: 0, items: items('src/') });
  await settled();
  expect(editor.text).toBe('src and more');
  expect(editor.isBusy).toBe(false);
});

it('closes the list with Escape, and keeps it closed until something is typed', async () => {
  const editor = makeEditor({ sources: [commands] });
  type(editor, '/h');
  await settled();
  expect(editor.isBusy).toBe(true);
  press(editor, 'escape');
  expect(editor.isBusy).toBe(false);
  expect(rowsOf(editor, 20)).toHaveLength(3);
});

it('reports a source that fails and asks the next one', async () => {
  const errors: unknown[] = [];
  const broken: CompletionSource = { complete: () => Promise.reject(new Error('broken')) };
  const editor = makeEditor({ sources: [broken, commands], onError: (error) => errors.push(error) });
  type(editor, '/m');
  await until(() => editor.isBusy, 'the list');
  expect(errors).toEqual([new Error('broken')]);
});

it('shows labels and details without control characters, in the columns that there are', async () => {
  const source: CompletionSource = {
    complete: async () => ({
      from: 0,
      items: [{ value: 'v', label: 'evil\x1b[2J\nname', detail: 'a long\tdetail '.repeat(20) }],
    }),
  };
  const editor = makeEditor({ sources: [source] });
  type(editor, '/');
  await settled();
  expect(rowsOf(editor, 30).at(-1)).toMatch(/^→ evil name {2}a long detail a/);
});

const VI_CASES: readonly [before: string, keys: string, after: string, offset?: number][] = [
  ['one two three', '0dw', 'two three', 0],
  ['one two three', '0d2w', 'three', 0],
  ['one two three', '0wcwX\x1b', 'one X three', 4],
  ['one two three', '0wdiw', 'one  three', 4],
  ['one two three', '0wdaw', 'one three', 4],
  ['call(a, b)', '0fadi(', 'call()', 5],
  ['say "hi" now', '0fhda"', 'say now', 4],
  ['one two', '0x..', ' two', 0],
  ['one two', '0xu', 'one two', 0],
  ['one two', '0xu\x12', 'ne two', 0],
  ['a\nb\nc', 'ggddp', 'b\na\nc', 0],
  ['a\nb', 'ggyyP', 'a\na\nb', 0],
  ['a', 'onew\x1b', 'a\nnew', 2],
  ['a', 'Onew\x1b', 'new\na', 2],
  ['abc', '0ix\x1bA!\x1b', 'xabc!', 4],
  ['a.b.c', '0f.;D', 'a.b', 2],
  ['a.b.c', '0f.;,x', 'ab.c', 1],
  ['abc', '0rXl2rY', 'XYY', 2],
  ['one two', '0cwnew\x1bw.', 'new new', 6],
  ['abc', '03aXY\x1b', 'aXYXYXYbc', 6],
];

it.each(VI_CASES)('understands vi: %j and %j make %j', (before, keys, after, offset) => {
  const editor = makeEditor();
  editor.mode = 'vi';
  editor.insert(before);
  press(editor, 'escape');
  type(editor, keys);
  expect(editor.text).toBe(after);
  expect(editor.viMode).toBe('normal');
  if (offset !== undefined) expect(editor.caret.offset).toBe(offset);
});

it('says which mode of vi it is in, submits in both, and begins a prompt in insert mode', () => {
  const submitted: string[] = [];
  const editor = makeEditor({ onSubmit: (sent) => void submitted.push(sent) });
  expect(editor.viMode).toBeUndefined();
  editor.mode = 'vi';
  expect(editor.viMode).toBe('insert');
  type(editor, 'hello');
  press(editor, 'escape');
  expect(editor.viMode).toBe('normal');
  expect(editor.wantsEscape).toBe(false);
  editor.handleInput('d');
  expect(editor.wantsEscape).toBe(true);
  press(editor, 'escape');
  expect(rowsOf(editor, 20).at(-1)).toBe('── NORMAL ──────────');
  press(editor, 'enter');
  expect(submitted).toEqual(['hello']);
  expect(editor.viMode).toBe('insert');
  editor.mode = 'plain';
  expect(editor.viMode).toBeUndefined();
});

it('takes one step of undo for all that was typed in insert mode; x deletes whole units, k and j walk the history', () => {
  const editor = makeEditor();
  editor.addHistory(['earlier']);
  editor.mode = 'vi';
  press(editor, 'escape');
  type(editor, 'ione two');
  press(editor, 'backspace', 'backspace', 'newline');
  type(editor, 'three\x1bu');
  expect(editor.text).toBe('');
  editor.handleInput('i');
  editor.handleInput(paste('x\n'.repeat(20)));
  press(editor, 'escape');
  type(editor, 'x');
  expect(editor.text).toBe('');
  type(editor, 'k');
  expect(editor.text).toBe('earlier');
  expect(editor.caret.offset).toBe(6);
  type(editor, 'j');
  expect(editor.text).toBe('');
  press(editor, 'enter');
  press(editor, 'escape');
  type(editor, 'p');
  expect(editor.expandedText).toBe('x\n'.repeat(20));
});
