/** A terminal that knows no sequences: lines out, lines in. The program on a real one is in packages/cli/test/dumb-terminal.test.ts. */
import { PassThrough } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { caseCount } from '@tenon/test-kit/properties';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';

import { type Component, CURSOR_MARKER, LineScreen, LineTerminal, type TerminalInput } from '../src/index.ts';
import { text } from './support/text.ts';

const open: LineScreen[] = [];
afterEach(() => {
  for (const screen of open.splice(0)) screen.stop();
});

function setUp(takesLines = true) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let written = '';
  output.on('data', (part: Buffer) => (written += part.toString()));
  const inputs: TerminalInput[] = [];
  // Streams stand for the keyboard and the paper: nothing of a terminal is used but that.
  const terminal = new LineTerminal(input as unknown as ReadStream, output as unknown as WriteStream);
  const screen = new LineScreen({
    terminal,
    text,
    frameInterval: 0,
    takesLines: () => takesLines,
    onError: (error) => {
      throw error;
    },
    onInput: (given) => inputs.push(given) > 0,
  });
  open.push(screen);
  return { screen, input, inputs, written: () => written };
}

const prompt: Component = { render: () => ['─────', `Prompt: ${CURSOR_MARKER}placeholder`] };

it('writes rows as lines, and asks below them once it is quiet', async () => {
  const { screen, written } = setUp();
  screen.add(prompt);
  screen.append(['\x1b[31mone\x1b[0m', 'two']);
  screen.start();
  await until(() => written().endsWith('Prompt: '), 'the prompt');
  expect(written()).toBe('one\ntwo\n─────\nPrompt: ');
  screen.append(['three']);
  await until(() => written().endsWith('three\n─────\nPrompt: '), 'the prompt again');
  expect(written()).toContain('Prompt: \nthree\n');
});

it('gives a line as a paste and Enter, and an empty one as nothing', async () => {
  const { screen, input, inputs } = setUp();
  screen.start();
  input.write('\nsay \x1b[2Jhello\n');
  await until(() => inputs.length >= 2, 'the line');
  expect(inputs).toMatchObject([
    { kind: 'paste', text: 'say  [2Jhello' },
    { kind: 'key', key: { name: 'enter' } },
  ]);
});

it.each([
  ['', ['enter']],
  ['y', ['y']],
  ['esc', ['escape']],
  ['Down', ['down']],
  ['space', ['space']],
  ['a sentence', ['paste']],
])('takes the line "%s" for keys while something is asked', async (line, keys) => {
  const { screen, input, inputs } = setUp(false);
  screen.start();
  input.write(`${line}\n`);
  await until(() => inputs.length > 0, 'the key');
  expect(inputs.map((given) => (given.kind === 'key' ? given.key.name : given.kind))).toEqual(keys);
});

it('says once how a question is answered', async () => {
  const { screen, input, written } = setUp(false);
  let question = 'Which?';
  screen.add({ render: () => [question] });
  screen.start();
  await until(() => written().endsWith('> '), 'the question');
  expect(written()).toMatch(/^Which\?\nType a letter.*\n> $/);
  question = 'And which?';
  input.write('1\n');
  await until(() => written().endsWith('And which?\n> '), 'the next question');
  expect(written().split('Type a letter')).toHaveLength(2);
});

describe('whatever is shown', () => {
  it('is text and line feeds, each finished row once and in order', async () => {
    const part = fc.constantFrom(
      '\x1b[2J',
      '\x1b]0;t\x07',
      '\x1b[31m',
      '\x07',
      '\r',
      '\b',
      '\t',
      '\x9b1m',
      'ab',
      '表',
      ' ',
    );
    const hostile = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(hostile, { maxLength: 4 }), { maxLength: 6 }),
        hostile,
        async (appends, live) => {
          const { screen, written } = setUp();
          screen.add({ render: () => [live, `> ${CURSOR_MARKER}`] });
          screen.start();
          let count = 0;
          for (const rows of appends) screen.append(rows.map((row) => `<${(count += 1)}>${row}`));
          screen.append(['<end>']);
          await until(() => written().includes('<end>'), 'the last row');
          screen.stop();
          // oxlint-disable-next-line no-control-regex -- controls are what this is about
          expect(written()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
          const order = [...written().matchAll(/<(\d+)>/g)].map(([, number]) => Number(number));
          expect(order).toEqual(Array.from({ length: count }, (_, at) => at + 1));
        },
      ),
      { numRuns: caseCount(30) },
    );
  });
});
