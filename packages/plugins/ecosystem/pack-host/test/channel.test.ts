import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Channel, type ChannelLimits, PACK_LIMITS } from '../src/wire/channel.ts';
import { LineDecoder, TokenBucket } from '../src/wire/frames.ts';
import { type Method, ownMethod, Peer, type PeerOptions } from '../src/wire/peer.ts';

/** Two streams; what is written to one is read from the other. */
function pair(): [Duplex, Duplex] {
  const make = (other: () => Duplex): Duplex =>
    new Duplex({
      read: () => undefined,
      write(chunk, _encoding, done) {
        other().push(chunk);
        done();
      },
      final(done) {
        other().push(null);
        done();
      },
    });
  const left: Duplex = make(() => right);
  const right: Duplex = make(() => left);
  return [left, right];
}

function peers(methods: Record<string, Method> = {}, maxPending = 16): [Peer, Peer] {
  const [left, right] = pair();
  const options = (stream: Duplex): PeerOptions => ({
    stream,
    limits: PACK_LIMITS,
    maxPending,
    plugin: 'test',
    stacks: false,
    method: (name) => ownMethod(methods, name),
    onViolation: (_kind, reason) => expect.fail(reason),
    onClose: () => undefined,
  });
  return [new Peer(options(left)), new Peer(options(right))];
}

const tick = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

describe('lines', () => {
  it('come out whole however they are cut into pieces', () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')));
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 9 }), (texts, size) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        const decoder = new LineDecoder(1_000_000);
        const seen: string[] = [];
        for (let at = 0; at < bytes.length; at += size) seen.push(...decoder.push(bytes.subarray(at, at + size)));
        expect(seen).toEqual(texts);
      }),
    );
  });

  it('may not be longer than the limit, even without an end', () => {
    const decoder = new LineDecoder(10);
    expect([...decoder.push(Buffer.from('0123456789\n'))]).toEqual(['0123456789']);
    expect(() => [...decoder.push(Buffer.from('0123456789a\n'))]).toThrow('longer than 10 bytes');
    const endless = new LineDecoder(10);
    expect([...endless.push(Buffer.from('01234567'))]).toEqual([]);
    expect(() => [...endless.push(Buffer.from('89a'))]).toThrow('longer than 10 bytes');
  });
});

describe('a token bucket', () => {
  it('lets a burst through, then the average', () => {
    let now = 0;
    const bucket = new TokenBucket({ perSecond: 10, burst: 3, now: () => now });
    expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, true, false]);
    expect(bucket.waitMs()).toBeCloseTo(100);
    now += 100;
    expect([bucket.take(), bucket.take()]).toEqual([true, false]);
    now += 10_000;
    expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, true, false]);
  });
});

describe('a channel', () => {
  const events = () => {
    const seen: unknown[] = [];
    const violations: string[] = [];
    return {
      seen,
      violations,
      onMessage: (message: unknown) => void seen.push(message),
      onViolation: (kind: string) => void violations.push(kind),
      onClose: () => undefined,
    };
  };
  const limits: ChannelLimits = { ...PACK_LIMITS, perSecond: 100, burst: 10, floodMs: 150 };

  it('slows a burst down without losing anything of it', async () => {
    const [left, right] = pair();
    const told = events();
    const channel = new Channel(right, limits, told);
    for (let count = 0; count < 20; count++) left.write(`{"count":${count}}\n`);
    expect(told.seen.length).toBeLessThan(20);
    await expect.poll(() => told.seen.length).toBe(20);
    expect(told.seen).toEqual(Array.from({ length: 20 }, (_, count) => ({ count })));
    expect(told.violations).toEqual([]);
    channel.close();
  });

  it('gives up a side that floods', async () => {
    const [left, right] = pair();
    const told = events();
    const channel = new Channel(right, limits, told);
    for (let count = 0; count < 5_000; count++) left.write('{}\n');
    await expect.poll(() => told.violations).toEqual(['flood']);
    expect(told.seen.length).toBeLessThan(200);
    channel.close();
  });

  it('gives up a side that sends what is no message', async () => {
    for (const nonsense of ['nonsense', '7', 'null', '[]', '"text"']) {
      const [left, right] = pair();
      const told = events();
      const channel = new Channel(right, limits, told);
      left.write(`${nonsense}\n`);
      await expect.poll(() => told.violations).toEqual(['protocol']);
      channel.close();
    }
  });

  it('gives up a side that does not read', () => {
    const stuck = new Duplex({ read: () => undefined, write: () => undefined });
    const told = events();
    const channel = new Channel(stuck, { ...limits, maxUnsentBytes: 1_000 }, told);
    for (let count = 0; count < 50; count++) channel.send({ text: 'x'.repeat(100) });
    expect(told.violations).toEqual(['unread']);
  });
});

describe('two peers', () => {
  it('call each other in both directions, with functions as arguments', async () => {
    const [left] = peers({
      ask: (params, peer) =>
        peer.serveArguments(params, async ([fn]) => `got ${await (fn as (value: number) => Promise<unknown>)(20)}`),
    });
    expect(await left.request('ask', [(value: number) => value + 1])).toBe('got 21');
    expect(left.references.lent).toBe(0);
  });

  it('end functions that came with a call when the call ends', async () => {
    let kept: (() => Promise<unknown>) | undefined;
    const [left] = peers({
      keep: (params, peer) =>
        peer.serveArguments(params, ([fn]) => {
          kept = fn as typeof kept;
        }),
    });
    await left.request('keep', [() => 'never']);
    await expect(kept?.()).rejects.toMatchObject({ code: 'PACK_HOST_RELEASED' });
  });

  it('keep functions in results alive', async () => {
    const [left] = peers({ make: () => ({ add: (a: number, b: number) => a + b }) });
    const made = (await left.request('make', [])) as { add(a: number, b: number): Promise<number> };
    expect(await made.add(1, 2)).toBe(3);
  });

  it('pass aborts on', async () => {
    let reason: unknown;
    const [left] = peers({
      wait: (params, peer) =>
        peer.serveArguments(params, ([signal]) => {
          return new Promise((_, reject) => {
            (signal as AbortSignal).addEventListener('abort', () => reject((reason = (signal as AbortSignal).reason)));
          });
        }),
    });
    const controller = new AbortController();
    const waiting = left.request('wait', [controller.signal]);
    await tick(5);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(reason).toMatchObject({ message: 'enough' });
  });

  it('answer with errors for what does not exist, and go on', async () => {
    const [left] = peers({ fine: () => 1 });
    await expect(left.request('missing', [])).rejects.toThrow('no method "missing"');
    await expect(left.request('constructor', [])).rejects.toThrow('no method');
    await expect(left.callReference(99, [])).rejects.toMatchObject({ code: 'PACK_HOST_RELEASED' });
    expect(await left.request('fine', [])).toBe(1);
  });

  it('refuse more calls at once than allowed, on both sides', async () => {
    const [left] = peers({ hang: () => new Promise(() => undefined) }, 4);
    const calls = Array.from({ length: 5 }, () =>
      left.request('hang', []).catch((fault: { code: string }) => fault.code),
    );
    expect(await calls[4]).toBe('PACK_HOST_BUSY');
  });

  it('give up waiting at the deadline and ignore the late answer', async () => {
    const [left] = peers({ slow: () => tick(50).then(() => 'late') });
    await expect(left.request('slow', [], { deadlineMs: 5, onDeadline: () => new Error('too slow') })).rejects.toThrow(
      'too slow',
    );
    await tick(80);
    expect(await left.request('slow', [])).toBe('late');
  });

  it('fail what waits when the connection is closed, with the reason', async () => {
    const [left] = peers({ hang: () => new Promise(() => undefined) });
    const waiting = left.request('hang', []);
    left.close(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(left.request('hang', [])).rejects.toThrow('gone');
  });
});
