/** Reading files that grow: no byte lost, doubled or cut. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caseCount } from '@tenon/test-kit/properties';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, wholeLength } from '../src/keeper/decode.ts';
import { Tail } from '../src/keeper/tail.ts';

const START = { stdout: 0, stderr: 0 };
const textOf = (pieces: readonly { readonly text: string }[]) => pieces.map(({ text }) => text).join('');

test('property: however a stream of bytes is cut, its text is that of the whole', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => new Uint8Array(Buffer.from(text))),
    fc.constant(new Uint8Array([0xef, 0xbb, 0xbf])),
  );
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 12 }), (parts) => {
      const whole = Buffer.concat(parts);
      let [text, rest] = ['', Buffer.alloc(0)];
      for (const part of parts) {
        rest = Buffer.concat([rest, part]);
        const length = wholeLength(rest);
        expect(rest.length - length).toBeLessThanOrEqual(3);
        text += decode(rest.subarray(0, length));
        rest = rest.subarray(length);
      }
      expect(text + decode(rest)).toBe(decode(whole));
    }),
  );
});

test('property: whatever is written between two looks, each byte is read once, also by one that begins where another stopped', () => {
  const step = fc.oneof(
    fc.record({ to: fc.constantFrom('stdout' as const, 'stderr' as const), bytes: fc.uint8Array({ maxLength: 30 }) }),
    fc.constant('read' as const),
    fc.constant('restart' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const folder = temporaryFolder('tail');
      const written = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
      const text = { stdout: '', stderr: '' };
      let tail = new Tail(folder, START, 1e9);
      const read = (isFinal: boolean) => {
        const { pieces, offsets } = tail.read(isFinal);
        for (const piece of pieces) if (piece.stream !== 'validation') text[piece.stream] += piece.text;
        tail.advance(offsets);
      };
      for (const what of steps) {
        if (what === 'read') read(false);
        else if (what === 'restart') {
          const { offsets } = tail;
          tail.close();
          tail = new Tail(folder, offsets, 1e9);
        } else {
          appendFileSync(join(folder, what.to), what.bytes);
          written[what.to] = Buffer.concat([written[what.to], what.bytes]);
        }
      }
      read(true);
      tail.close();
      expect(text).toEqual({ stdout: decode(written.stdout), stderr: decode(written.stderr) });
    }),
    { numRuns: caseCount(60) },
  );
});

test('what was not stored is read again', () => {
  const folder = temporaryFolder('tail');
  writeFileSync(join(folder, 'stdout'), 'abc');
  const tail = new Tail(folder, START, 1e9);
  expect(textOf(tail.read(false).pieces)).toBe('abc');
  expect(textOf(tail.read(false).pieces)).toBe('abc');
  tail.advance({ stdout: 3, stderr: 0 });
  expect(tail.read(false).pieces).toEqual([]);
  tail.close();
});

test('a large output comes in pieces, with turns between them, and no more than its limit', () => {
  const folder = temporaryFolder('tail');
  const text = 'ä'.repeat(1_000_000);
  writeFileSync(join(folder, 'stdout'), text);
  for (const limit of [1e9, 1_000_001]) {
    const tail = new Tail(folder, START, limit);
    let [seen, turns] = ['', 0];
    for (;;) {
      const { pieces, offsets, hasMore } = tail.read(true);
      tail.advance(offsets);
      seen += textOf(pieces);
      turns++;
      for (const piece of pieces) expect(Buffer.byteLength(piece.text)).toBeLessThanOrEqual(64 * 1024);
      if (!hasMore && pieces.length === 0) break;
    }
    expect(turns).toBeGreaterThan(3);
    expect(seen === text.slice(0, limit / 2)).toBe(true);
    expect(tail.isOverLimit).toBe(limit < 2_000_000);
    tail.close();
  }
});
