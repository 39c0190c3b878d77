/** What comes from an adapter, cut anywhere and of any kind. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from '../src/companion/line-reader.ts';
import type { ChannelListener, DapChannel } from '../src/protocol/channel.ts';
import { DapClient } from '../src/protocol/dap-client.ts';
import { encodeMessage, MessageReader } from '../src/protocol/framing.ts';
import { OutputRing } from '../src/session/output-ring.ts';

/** Pieces of bytes, cut at these places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe('messages of DAP', () => {
  it('come out as they went in, wherever they are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), fc.array(fc.nat()), (messages, cuts) => {
        const reader = new MessageReader();
        const bytes = Buffer.concat(messages.map(encodeMessage));
        const found = pieces(bytes, cuts).flatMap((piece) => reader.push(piece));
        expect(found).toEqual(JSON.parse(JSON.stringify(messages)));
      }),
    );
  });

  it('may have other headers, in any case', () => {
    const text = 'content-type: x\r\nCONTENT-LENGTH:  7 \r\nX-More: 1\r\n\r\n{"a":1}';
    expect(new MessageReader().push(Buffer.from(text))).toEqual([{ a: 1 }]);
  });

  it('that are none end with the reason, never with a hang or another fault', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat()), (bytes, cuts) => {
        const reader = new MessageReader();
        try {
          for (const piece of pieces(Buffer.from(bytes), cuts)) reader.push(piece);
        } catch (fault) {
          expect(fault).toMatchObject({ code: 'DEBUG_BAD_MESSAGE' });
        }
      }),
    );
    const bad = [
      'Hello, I am no adapter',
      'Content-Length: x\r\n\r\n',
      'Content-Length: -5\r\n\r\n{}',
      'Content-Length: 99999999999\r\n\r\n',
      'Content-Length: 2000000000\r\n\r\n',
      'Content-Length: 2\r\n\r\n{]',
      `X: ${'a'.repeat(5000)}`,
    ];
    for (const text of bad) expect(() => new MessageReader().push(Buffer.from(text)), text).toThrow(/not a message/);
  });
});

/** An adapter of which the test is the mouth. */
function scripted() {
  const sent: Record<string, unknown>[] = [];
  let listener: ChannelListener | undefined;
  const channel: DapChannel = {
    send: (message) => void sent.push(message as Record<string, unknown>),
    listen: (to) => void (listener = to),
    close: () => listener?.end('closed'),
  };
  const events: string[] = [];
  const client = new DapClient('test', channel, {
    event: (name) => void events.push(name),
    request: async (command) => {
      if (command === 'good') return { fine: true };
      throw new Error('never heard of it');
    },
    end: () => undefined,
  });
  return { client, sent, events, say: (message: unknown) => listener?.message(message), channel };
}

describe('a connection to an adapter', () => {
  it('lives through every message', () => {
    const { client, say, events } = scripted();
    fc.assert(fc.property(fc.jsonValue(), (message) => say(message)));
    say({ type: 'event', event: 'stopped', body: null });
    expect(events.at(-1)).toBe('stopped');
    expect(client.endReason).toBeUndefined();
  });

  it('answers requests of the adapter, also those that it does not know', async () => {
    const { say, sent } = scripted();
    say({ type: 'request', seq: 7, command: 'good' });
    say({ type: 'request', seq: 8, command: 'bad' });
    await expect.poll(() => sent.length).toBe(2);
    expect(sent).toMatchObject([
      { type: 'response', request_seq: 7, success: true, body: { fine: true } },
      { type: 'response', request_seq: 8, success: false, message: 'never heard of it' },
    ]);
  });

  it('gives up requests in time, on cancellation and at the end, and says why', async () => {
    const { client, channel, say } = scripted();
    await expect(client.request('slow', {}, { timeoutMs: 5 })).rejects.toMatchObject({ code: 'DEBUG_TIMEOUT' });
    say({ type: 'response', request_seq: 1, success: true });
    const stop = new AbortController();
    const cancelled = client.request('slow', {}, { timeoutMs: 60_000, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(cancelled).rejects.toThrow('enough');
    const refused = client.request('x', {}, { timeoutMs: 60_000 });
    const error = { format: 'no {thing}', variables: { thing: 'cake' } };
    say({ type: 'response', request_seq: 3, success: false, message: 'short', body: { error } });
    await expect(refused).rejects.toThrow(/no cake/);
    const lost = client.request('y', {}, { timeoutMs: 60_000 });
    channel.close();
    await expect(lost).rejects.toMatchObject({ code: 'DEBUG_ADAPTER_ENDED' });
    await expect(client.request('z', {}, { timeoutMs: 60_000 })).rejects.toMatchObject({ code: 'DEBUG_ADAPTER_ENDED' });
  });
});

describe('lines of the companion', () => {
  it('are read whole, wherever they are cut; other things are refused', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), fc.array(fc.nat()), (messages, cuts) => {
        const found: unknown[] = [];
        const reader = new LineReader((message) => void found.push(message));
        const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
        for (const piece of pieces(bytes, cuts)) reader.push(piece);
        expect(found).toEqual(JSON.parse(JSON.stringify(messages)));
      }),
    );
    for (const text of ['nonsense\n', '7\n', 'null\n', 'x'.repeat(1_100_000)])
      expect(() => new LineReader(() => undefined).push(Buffer.from(text))).toThrow();
  });
});

describe('output of a program', () => {
  it('is kept up to a limit, the newest part of it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 200 }), (texts, limit) => {
        const ring = new OutputRing(limit);
        for (const text of texts) ring.push('stdout', text);
        const whole = texts.join('');
        expect(whole.slice(whole.length - ring.text().length)).toBe(ring.text());
        expect(Buffer.byteLength(ring.text())).toBeLessThanOrEqual(limit);
        expect(ring.totalBytes).toBe(Buffer.byteLength(whole));
        if (ring.totalBytes <= limit) expect(ring.text()).toBe(whole);
      }),
    );
  });
});
