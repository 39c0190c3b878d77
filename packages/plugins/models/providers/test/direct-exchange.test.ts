/** How Tenon's own HTTP goes: kept connections, redirects, compression, slow readers, joined deltas. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import type { Model, StreamEvent } from '@tenon/models/api';
import { until } from '@tenon/test-kit/waiting';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../src/direct/connection.ts';
import { Holding } from '../src/direct/holding.ts';
import { failureOf } from '../src/failure.ts';
import { collect, modelOf, providerOf, requestOf } from './harness.ts';
import { startReplay } from './replay-server.ts';

let fake: FakeModels;
beforeAll(async () => void (fake = await startFakeModels()));
afterAll(() => fake.close());
const ends: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0)) await end();
});

const PROTOCOL = 'openai-completions';
const chunk = (delta: unknown, finish_reason: unknown = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const ANSWER = `${chunk({ content: 'Well.' })}${chunk({}, 'stop')}data: [DONE]\n\n`;
const at = (baseUrl: string): Model => modelOf(PROTOCOL, fake, { baseUrl });

async function replaying(...replay: Parameters<typeof startReplay>) {
  const server = await startReplay(...replay);
  ends.push(() => server.close());
  return server;
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a kept connection', () => {
  it('serves the next request, also when the server says the end before it closes the answer', async () => {
    const sockets = new Set<unknown>();
    const url = await listening(
      createServer((request, response) => {
        sockets.add(request.socket);
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(ANSWER);
        setTimeout(() => response.end(), 5);
      }),
    );
    const provider = providerOf(PROTOCOL);
    for (let round = 0; round < 4; round++) {
      expect((await collect(provider, requestOf(at(url)))).last.type).toBe('done');
      await sleep(20);
    }
    // On a busy machine the end may come later than a connection is kept for it; without keeping there would be four.
    expect(sockets.size).toBeLessThan(4);
  });

  it('is given up when the server goes on after the end', async () => {
    let isGone = false;
    const url = await listening(
      createServer((request, response) => {
        request.socket.on('close', () => (isGone = true));
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(ANSWER);
      }),
    );
    expect((await collect(providerOf(PROTOCOL), requestOf(at(url)))).last.type).toBe('done');
    await until(() => isGone);
  });

  it('that the server has closed costs nothing that anybody sees', async () => {
    let requests = 0;
    const open = new Set<Socket>();
    const server = createSocketServer((socket) => {
      open.add(socket);
      let isUsed = false;
      socket.on('error', () => undefined); // The client may be gone first.
      socket.on('data', () => {
        requests++;
        if (isUsed) return void socket.resetAndDestroy();
        isUsed = true;
        const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: keep-alive\r\n';
        socket.write(`${head}content-length: ${Buffer.byteLength(ANSWER)}\r\n\r\n${ANSWER}`);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = providerOf(PROTOCOL);
    for (let round = 0; round < 3; round++)
      expect((await collect(provider, requestOf(at(url)))).last.type).toBe('done');
    // More came in than were made: at least one found its connection closed.
    expect(requests).toBeGreaterThan(3);
  });
});

describe('a server that takes connections and says nothing', () => {
  it('is given up when no encryption is agreed on', async () => {
    const open = new Set<Socket>();
    const server = createSocketServer((socket) => void open.add(socket.on('error', () => undefined)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    const outgoing = { url, headers: {}, body: Buffer.from('{}') };
    const fault = await connect(outgoing, new AbortController().signal, 50).catch((thrown: unknown) => thrown);
    const failure = failureOf(fault, { provider: 'test', aborted: false });
    expect(failure).toEqual({
      kind: 'network',
      message: 'test cannot be reached: no connection within 1 s (ETIMEDOUT)',
    });
  });
});

describe('a redirect', () => {
  const redirecting = (status: number, to: () => string) =>
    replaying(({ url }) =>
      url.startsWith('/moved')
        ? { pieces: [], status, headers: { location: to() } }
        : { pieces: [Buffer.from(ANSWER)] },
    );

  it('is followed with the key on the same server', async () => {
    const server = await redirecting(307, () => '/v1/chat/completions');
    const { last } = await collect(providerOf(PROTOCOL), requestOf(at(`${server.url}/moved`)));
    expect(last.type).toBe('done');
    expect(server.arrivals).toHaveLength(2);
    expect(server.arrivals[1]?.headers['authorization']).toBe('Bearer test-key');
    expect(server.arrivals[1]?.body).toBe(server.arrivals[0]?.body);
  });

  it('to another server goes without keys', async () => {
    const other = await replaying(() => ({ pieces: [Buffer.from(ANSWER)] }));
    const server = await redirecting(308, () => `${other.url}/chat/completions`);
    const headers = { 'x-secret': 'also a key' };
    const { last } = await collect(providerOf(PROTOCOL), requestOf(at(`${server.url}/moved`), { headers }));
    expect(last.type).toBe('done');
    expect(JSON.stringify(other.arrivals[0]?.headers)).not.toMatch(/test-key|also a key/);
  });

  it('in a circle, or one that would lose the request, is an error', async () => {
    const circle = await redirecting(307, () => '/moved');
    const { last } = await collect(providerOf(PROTOCOL), requestOf(at(`${circle.url}/moved`)));
    expect(last).toMatchObject({ type: 'error', failure: { status: 307 } });
    const losing = await redirecting(302, () => '/v1/chat/completions');
    const lost = await collect(providerOf(PROTOCOL), requestOf(at(`${losing.url}/moved`)));
    expect(lost.last).toMatchObject({ type: 'error', failure: { status: 302 } });
    expect(losing.arrivals).toHaveLength(1);
  });
});

describe('an answer', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('that is compressed with %s, though nobody asked for it, is read', async (encoding, compress) => {
    const server = await replaying(() => ({
      pieces: [compress(ANSWER)],
      headers: { 'content-type': 'text/event-stream', 'content-encoding': encoding },
    }));
    const { message } = await collect(providerOf(PROTOCOL), requestOf(at(server.url)));
    expect(message.content).toMatchObject([{ text: 'Well.' }]);
    expect(server.arrivals[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('that claims a compression which it does not have is a fault and not a crash', async () => {
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
    const server = await replaying(() => ({ pieces: [Buffer.from(ANSWER)], headers }));
    const { last } = await collect(providerOf(PROTOCOL), requestOf(at(server.url)));
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'network' } });
  });

  it('that does not come as a stream is read as a whole', async () => {
    const answer = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'At once.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    };
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const server = await replaying(() => ({ pieces: [Buffer.from(JSON.stringify(answer))], headers }));
    const { message, last } = await collect(providerOf(PROTOCOL), requestOf(at(server.url)));
    expect(last.type).toBe('done');
    expect(message).toMatchObject({ content: [{ text: 'At once.' }], usage: { input: 3, output: 2 } });
    const broken = await replaying(() => ({ pieces: [Buffer.from('busy')], headers }));
    const refused = await collect(providerOf(PROTOCOL), requestOf(at(broken.url)));
    expect(refused.message.errorMessage).toBe('test sent what cannot be read: `busy` is not JSON');
  });

  it('with empty data between its events is read all the same', async () => {
    const server = await replaying(() => ({ pieces: [Buffer.from(`data: \n\n${ANSWER}`)] }));
    expect((await collect(providerOf(PROTOCOL), requestOf(at(server.url)))).last.type).toBe('done');
  });

  it('whose reader takes its time is not taken for one that stalls', async () => {
    fake.reply({ content: [{ type: 'text', text: 'x'.repeat(400) }], paceMs: 2 });
    const events: StreamEvent[] = [];
    const call = { signal: new AbortController().signal };
    for await (const event of providerOf(PROTOCOL, 250).stream(requestOf(modelOf(PROTOCOL, fake)), call)) {
      events.push(event);
      if (events.length < 4) await sleep(400);
    }
    expect(events.at(-1)?.type).toBe('done');
  });
});

describe('deltas that come close together', () => {
  const streamed = async (write: (response: ServerResponse) => Promise<void>, batchMs?: number) => {
    const url = await listening(
      createServer(async (request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        await write(response);
        response.end();
      }),
    );
    const call = { signal: new AbortController().signal, ...(batchMs !== undefined && { batchMs }) };
    const deltas: string[] = [];
    let last: StreamEvent | undefined;
    for await (const event of providerOf(PROTOCOL).stream(requestOf(at(url)), call)) {
      if (event.type === 'text_delta') deltas.push(event.delta);
      last = event;
    }
    if (last?.type !== 'done') throw new Error('the answer did not come');
    return { deltas, content: last.message.content };
  };
  const letters = [...'abcdefghijklmnopqrst'];
  const write = async (response: ServerResponse) => {
    response.write(chunk({ role: 'assistant', content: '' }));
    await sleep(30);
    for (const letter of letters) {
      response.write(chunk({ content: letter }));
      await sleep(letter === 'a' ? 30 : 1);
    }
    response.write(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };

  it('are told one by one where nobody wants them joined', async () => {
    expect((await streamed(write)).deltas).toEqual(letters);
  });

  it('are joined for as long as the caller says; the first passes at once, and the end is not waited for', async () => {
    const { deltas, content } = await streamed(write, 60_000);
    expect(deltas[0]?.length).toBeLessThan(letters.length);
    expect(deltas).toHaveLength(2);
    expect(deltas.join('')).toBe(letters.join(''));
    expect(content).toMatchObject([{ text: letters.join('') }]);
  });

  it('are left with the system in a long answer, and all arrive, also when the next answer comes on that connection', async () => {
    const hold = vi.spyOn(Holding.prototype, 'hold');
    const sent: string[] = [];
    const ports = new Set<number | undefined>();
    const url = await listening(
      createServer(async (request, response) => {
        request.resume();
        ports.add(request.socket.remotePort);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        // Only the first answer is long.
        const end = sent.length === 0 ? Date.now() + 1800 : 0;
        while (Date.now() < end || hold.mock.calls.length === 0) {
          sent.push(`${sent.length} `);
          response.write(chunk({ content: sent.at(-1) }));
          await sleep(4);
        }
        response.end(`${chunk({ content: 'end' })}${chunk({}, 'stop')}data: [DONE]\n\n`);
      }),
    );
    const answered = async () => {
      let last: StreamEvent | undefined;
      const call = { signal: new AbortController().signal, batchMs: 30 };
      for await (const event of providerOf(PROTOCOL).stream(requestOf(at(url)), call)) last = event;
      return last?.type === 'done' ? last.message.content : last;
    };
    expect(await answered()).toMatchObject([{ text: `${sent.join('')}end` }]);
    expect(hold).toHaveBeenCalled();
    expect(await answered()).toMatchObject([{ text: 'end' }]);
    expect(ports.size).toBe(1);
  });

  it('can be stopped while the system keeps them', async () => {
    const { hold } = Holding.prototype;
    const stop = new AbortController();
    vi.spyOn(Holding.prototype, 'hold').mockImplementation(function (this: Holding) {
      hold.call(this);
      stop.abort();
    });
    const url = await listening(
      createServer(async (request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (; !response.destroyed; await sleep(4)) response.write(chunk({ content: 'x' }));
      }),
    );
    let last: StreamEvent | undefined;
    const call = { signal: stop.signal, batchMs: 30 };
    for await (const event of providerOf(PROTOCOL).stream(requestOf(at(url)), call)) last = event;
    expect(last).toMatchObject({ type: 'error', reason: 'aborted' });
  });
});
