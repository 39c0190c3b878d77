import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFrame } from '../src/kernels/frames.ts';
import { MarkedStream } from '../src/kernels/text-stream.ts';

const SECRET = 'ab12';

/** The parts of a text that comes in pieces, neighbours joined. */
function partsOf(bytes: Buffer, cuts: readonly number[]): (string | { mark: string })[] {
  const stream = new MarkedStream(SECRET);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const parts: (string | { mark: string })[] = [];
  const add = (part: { text: Buffer } | { mark: string }) => {
    if ('mark' in part) parts.push(part);
    else if (typeof parts.at(-1) === 'string') parts.push(`${String(parts.pop())}${part.text.toString('latin1')}`);
    else if (part.text.length > 0) parts.push(part.text.toString('latin1'));
  };
  for (let index = 1; index < places.length; index++) {
    for (const part of stream.push(bytes.subarray(places[index - 1], places[index]))) add(part);
  }
  add({ text: stream.end() });
  return parts;
}

describe('the stream of a kernel', () => {
  it('is cut at its marks, however it comes', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 8 }).map((text) => text.replaceAll('\x1e', '')),
      fc.constantFrom('\x1e', `\x1e${SECRET}`, `\x1e${SECRET}:`, '\x1eab:1\x1e', '\n'),
      fc.nat({ max: 99 }).map((id) => ({ mark: String(id) })),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 8 }), (pieces, cuts) => {
        const text = pieces.map((one) => (typeof one === 'string' ? one : `\x1e${SECRET}:${one.mark}\x1e`)).join('');
        const expected = text
          .split(/(\x1eab12:\d+\x1e)/)
          .filter((part) => part !== '')
          .map((part) => (/^\x1eab12:\d+\x1e$/.test(part) ? { mark: part.slice(SECRET.length + 2, -1) } : part));
        expect(partsOf(Buffer.from(text, 'latin1'), cuts)).toEqual(expected);
      }),
    );
  });
});

describe('a message of a kernel', () => {
  it('is taken only when it has the right shape', () => {
    expect(parseFrame('{"type":"ready","version":"x"}')).toEqual({ type: 'ready', version: 'x' });
    expect(parseFrame('{"type":"done","id":"1","status":"ok"}')).toEqual({ type: 'done', id: '1', status: 'ok' });
    for (const line of [
      '',
      'null',
      '[]',
      '{',
      '{"type":"done"}',
      '{"type":"done","id":"1","status":"great"}',
      '{"type":"tool","id":"1","name":"x"}',
      '{"type":"what"}',
      '{"type":"display","id":"1","bundle":[]}',
    ]) {
      expect([line, parseFrame(line)]).toEqual([line, undefined]);
    }
  });
});
