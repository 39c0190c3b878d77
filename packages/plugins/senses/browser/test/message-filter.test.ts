import { spawn } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MESSAGE_FILTER } from '../src/launch/message-filter.ts';

/** What comes out when these bytes go in, in pieces of this size, and somebody begins to read after this time. */
function filtered(bytes: Buffer, pieceSize: number, idleMs = 0): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', MESSAGE_FILTER], { stdio: ['pipe', 'pipe', 'inherit'] });
    const out: Buffer[] = [];
    setTimeout(() => child.stdout.on('data', (chunk: Buffer) => out.push(chunk)), idleMs);
    child.once('error', reject);
    child.once('close', () => resolve(Buffer.concat(out)));
    for (let at = 0; at < bytes.length; at += pieceSize) child.stdin.write(bytes.subarray(at, at + pieceSize));
    child.stdin.end();
  });
}

const wire = (messages: readonly unknown[]) =>
  Buffer.from(messages.map((message) => `${JSON.stringify(message)}\0`).join(''));

it('passes ordinary messages on byte for byte, however they are cut', async () => {
  const message = fc.oneof(
    fc.record({
      id: fc.nat(),
      result: fc.record({ text: fc.string({ unit: 'binary' }) }),
      sessionId: fc.constant('A1'),
    }),
    fc.record({ method: fc.constantFrom('Page.loadEventFired', 'Runtime.consoleAPICalled'), params: fc.string() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 20 }), fc.integer({ min: 1, max: 300 }), async (messages, size) => {
      const bytes = wire(messages);
      expect((await filtered(bytes, size)).equals(bytes)).toBe(true);
    }),
    { numRuns: 10 },
  );
});

it('hands everything over before it ends, also to somebody who is slow to read', async () => {
  const bytes = wire([
    { id: 1, result: { data: 'x'.repeat(3 * 1024 * 1024) } },
    { id: 2, result: {} },
  ]);
  expect((await filtered(bytes, bytes.length, 700)).equals(bytes)).toBe(true);
});

it('drops events that are too large, and answers in the place of answers that are', async () => {
  const large = 'x'.repeat(3 * 1024 * 1024);
  const messages = [
    { method: 'Runtime.consoleAPICalled', params: { text: large } },
    { id: 7, result: { data: large }, sessionId: 'AB12' },
    { id: 8, result: { data: 'y'.repeat(65 * 1024 * 1024) }, sessionId: 'AB12' },
    { id: 9, result: {}, sessionId: 'AB12' },
  ];
  const seen = (await filtered(wire(messages), 65_536)).toString().split('\0').filter(Boolean);
  expect(seen.map((text) => JSON.parse(text) as { id?: number; error?: object; sessionId?: string })).toEqual([
    messages[1],
    { id: 8, sessionId: 'AB12', error: { code: -32000, message: 'the answer of the page is too large' } },
    messages[3],
  ]);
});

it('drops what a page writes into its console beyond four megabytes in a second', async () => {
  const line = { method: 'Runtime.consoleAPICalled', params: 'z'.repeat(1024 * 1024) };
  const messages = [...Array.from({ length: 40 }, () => line), { method: 'Page.loadEventFired', params: {} }];
  const seen = (await filtered(wire(messages), 1 << 20)).toString().split('\0').filter(Boolean);
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.length).toBeLessThan(40);
  expect(seen.at(-1)).toMatch(/loadEventFired/);
});
