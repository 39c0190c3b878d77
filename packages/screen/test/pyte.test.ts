import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { later } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { CURSOR_MARKER, MainScreen, type Terminal } from '../src/index.ts';
import { text } from './support/text.ts';

/** The first Python that has pyte: one that the variable names, the user's own, Debian's. */
const pythons = [process.env['TENON_TEST_PYTHON'], 'python3', '/usr/bin/python3'].filter((name) => name !== undefined);
const found = pythons.find((name) => spawnSync(name, ['-c', 'import pyte']).status === 0);
const hasPyte = found !== undefined;
const python = found ?? 'python3';
if (!hasPyte)
  process.stderr.write('SKIPPED: the screen in pyte (pip install pyte; TENON_TEST_PYTHON names the python)\n');

/** Tells pyte what was written, and what it shows then: scrollback and screen. */
function startPyte(): { open(columns: number, rows: number): void; show(written: string): Promise<string[]> } {
  const child = spawn(python, [join(import.meta.dirname, 'support', 'pyte-terminal.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  later(() => void child.kill());
  const ended = once(child, 'exit').then(() => {
    throw new Error('pyte has ended');
  });
  // It is ended after the test, when nobody waits for it.
  ended.catch(() => {});
  const lines = createInterface({ input: child.stdout });
  const send = (order: unknown): void => void child.stdin.write(`${JSON.stringify(order)}\n`);
  return {
    open: (columns, rows) => send({ columns, rows }),
    async show(written) {
      const answer = Promise.race([once(lines, 'line'), ended]);
      send({ write: written });
      const shown = JSON.parse(String((await answer)[0])) as { rows: string[] };
      while (shown.rows.at(-1) === '') shown.rows.pop();
      return shown.rows;
    },
  };
}

const word = fc.constantFrom(
  'plain',
  'the agent reads',
  '日本語',
  '\x1b[31mred\x1b[39m',
  '\x1b[1mbold',
  'é',
  'x'.repeat(50),
);
const content = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));
const step = fc.record({
  finished: fc.array(content, { maxLength: 20 }),
  live: fc.array(content, { maxLength: 10 }),
  caret: fc.nat({ max: 10 }),
});

it.skipIf(!hasPyte)(
  `shows finished rows once and in order, and the live rows below, in pyte (seed ${COMMON_SEED})`,
  async () => {
    const pyte = startPyte();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 20 }),
        fc.integer({ min: 4, max: 100 }),
        fc.integer({ min: 2, max: 30 }),
        fc.boolean(),
        async (steps, columns, rows, inserts) => {
          let written = '';
          const terminal: Terminal = {
            columns,
            rows,
            write(data) {
              // pyte fails on the question for the cursor's place: here it is a terminal that does not answer.
              written += data.replace('\x1b[?6n', '');
              return true;
            },
            open() {},
            close() {},
            stopProcess() {},
          };
          const errors: unknown[] = [];
          const screen = new MainScreen({
            terminal,
            text,
            inserts,
            frameInterval: 0,
            onError: (error) => errors.push(error),
          });
          let live: string[] = [];
          let caret = 0;
          screen.add({ render: () => live.map((row, at) => (at === caret ? `${row}${CURSOR_MARKER}` : row)) });
          screen.start();
          // Automatic wrap is off on a real terminal, too.
          pyte.open(columns, rows);
          await pyte.show('\x1b[?7l');
          const finished: string[] = [];
          const plain = (row: string): string => text.sanitize(text.slice(row, 0, columns)).trimEnd();
          let serial = 0;
          for (const now of steps) {
            [live, caret] = [now.live.map((row) => `~${row}`), now.caret];
            const added = now.finished.map((row) => `#${serial++} ${row}`);
            finished.push(...added.map(plain));
            screen.append(added);
            await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
            const shown = await pyte.show(written);
            written = '';
            expect(shown).toEqual([...finished, ...live.slice(-rows).map(plain)]);
          }
          expect(errors).toEqual([]);
        },
      ),
      { numRuns: caseCount(15) },
    );
  },
  120_000,
);
