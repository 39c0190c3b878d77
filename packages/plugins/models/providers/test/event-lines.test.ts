/** Server-sent events from bytes, however servers write them and networks cut them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventLines } from '../src/direct/event-lines.ts';
import { cutAt } from './replay-server.ts';

type Event = readonly [data: string, name: string | undefined];

function read(pieces: readonly Uint8Array[]): Event[] {
  const events: Event[] = [];
  const lines = new EventLines((data, name) => events.push([data, name]));
  for (const piece of pieces) lines.take(piece);
  lines.end();
  return events;
}

const readText = (text: string) => read([Buffer.from(text)]);

const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll(/[\r\n\uFEFF]/g, ' '));
const name = fc.constantFrom(undefined, 'message_start', 'ping', 'ä');
const event = fc.tuple(fc.array(line, { minLength: 1, maxLength: 3 }), name);
const manners = fc.record({
  end: fc.constantFrom('\n', '\r\n', '\r'),
  blank: fc.boolean(),
  mark: fc.boolean(),
  comments: fc.boolean(),
  isFinished: fc.boolean(),
});

describe('server-sent events', () => {
  it('are the same with every end of line and every cut', () => {
    const places = fc.array(fc.nat(), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), manners, places, (events, style, cuts) => {
        const { end, blank, mark, comments, isFinished } = style;
        const colon = blank ? ': ' : ':';
        const written = events.map(([data, called]) =>
          [
            ...(comments ? [': keep-alive', '', 'id: 7', 'retry: 10', 'dataset: no', 'eventual: no'] : []),
            ...(called === undefined ? [] : [`event${colon}${called}`]),
            // Without a blank after the colon, one in the text would be taken for it.
            ...data.map((text) => `data${text.startsWith(' ') ? ': ' : colon}${text}`),
            '',
            '',
          ].join(end),
        );
        const wire = `${mark ? '\uFEFF' : ''}${written.join('')}`;
        const sent = isFinished ? wire : wire.slice(0, -2 * end.length);
        const expected = events.map(([data, called]) => [data.join('\n'), called]);
        expect(read(cutAt(Buffer.from(sent), cuts))).toEqual(expected);
      }),
    );
  });

  it('are read byte by byte without a loss', () => {
    const bytes = Buffer.from('event: a\r\ndata: Grüße 東京 🎌\r\n\r\ndata: b\r\rdata: c\n\n');
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([
      ['Grüße 東京 🎌', 'a'],
      ['b', undefined],
      ['c', undefined],
    ]);
  });

  it('need data: a name alone means nothing, and does not stay for the next one', () => {
    expect(readText('event: ping\n\ndata: x\n\n')).toEqual([['x', undefined]]);
    expect(readText('data\n\ndata:\n\n')).toEqual([
      ['', undefined],
      ['', undefined],
    ]);
  });

  it('show bytes that are no UTF-8 as what they are not', () => {
    expect(read([Buffer.from([...Buffer.from('data: a'), 0xff, 0x0a, 0x0a])])).toEqual([['a\uFFFD', undefined]]);
  });

  it('may be long, but not without end', () => {
    const piece = Buffer.alloc(1 << 20, 'x');
    const lines = new EventLines(() => undefined);
    expect(() => {
      for (let at = 0; at < 80; at++) lines.take(piece);
    }).toThrow('does not end');
  });
});
