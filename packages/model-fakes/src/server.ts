import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicMessages } from './anthropic.ts';
import { bedrockConverseStream } from './bedrock.ts';
import { reshape, type WireFormat } from './frames.ts';
import { gemini } from './gemini.ts';
import { openaiCompletions } from './openai-completions.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Answer, Protocol, Refusal, Reply } from './script.ts';

/** A request as it came in, and how its answer went out. */
export interface RecordedRequest {
  readonly protocol: Protocol;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON body. */
  readonly body: Record<string, unknown>;
  readonly receivedAt: number;
  /** When the client hung up before the answer was out. */
  disconnectedAt?: number;
  /** Bytes that the socket has taken so far. */
  bytesWritten: number;
}

/** A running fake. */
export interface FakeModels {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  /** The base URL to configure for a protocol. */
  baseUrl(protocol: Protocol): string;
  /** Adds replies; each request takes the next one. */
  reply(...replies: (Reply | ((request: RecordedRequest) => Reply))[]): void;
  /** The reply when no other is left; without it the fake answers 500. */
  otherwise(reply: Reply | ((request: RecordedRequest) => Reply) | undefined): void;
  /** What `GET …/models` lists (OpenAI's shape), also as Ollama's tags. */
  models: string[];
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

interface Route {
  readonly protocol: Protocol;
  readonly path: RegExp;
  readonly base: string;
  /** True where each event is inside an envelope. */
  readonly enveloped?: boolean;
}

const ROUTES: readonly Route[] = [
  { protocol: 'anthropic-messages', path: /\/messages$/, base: '/v1' },
  { protocol: 'openai-responses', path: /\/responses$/, base: '/v1' },
  { protocol: 'openai-completions', path: /\/chat\/completions$/, base: '/v1' },
  { protocol: 'google-generative-ai', path: /\/models\/([^/:]+):streamGenerateContent$/, base: '/v1beta' },
  // Google's Code Assist: the same protocol inside an envelope, with the model in the body.
  {
    protocol: 'google-generative-ai',
    path: /\/v1internal:streamGenerateContent$/,
    base: '/v1internal',
    enveloped: true,
  },
  { protocol: 'bedrock-converse-stream', path: /\/model\/([^/]+)\/converse-stream$/, base: '' },
];

const FORMATS: Readonly<Record<Protocol, WireFormat>> = {
  'anthropic-messages': anthropicMessages,
  'openai-responses': openaiResponses,
  'openai-completions': openaiCompletions,
  'google-generative-ai': gemini,
  'bedrock-converse-stream': bedrockConverseStream,
};

/** Starts a fake on a free loopback port. It speaks all protocols at once, told apart by the path. */
export async function startFakeModels(options: { readonly port?: number } = {}): Promise<FakeModels> {
  const queue: (Reply | ((request: RecordedRequest) => Reply))[] = [];
  let fallback: Reply | ((request: RecordedRequest) => Reply) | undefined;
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    handle(request, response).catch((fault: unknown) => response.destroy(fault as Error));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent((request.url ?? '/').split('?')[0] as string);
    if (request.method === 'GET') return listModels(path, response, fake.models);
    const route = ROUTES.find(({ path: pattern }) => pattern.test(path));
    const body = await readAll(request);
    if (!route) return void response.writeHead(404).end('{"error":{"message":"no such path"}}');
    const record: RecordedRequest = {
      protocol: route.protocol,
      path: request.url ?? '/',
      headers: request.headers,
      body: body === '' ? {} : (JSON.parse(body) as Record<string, unknown>),
      receivedAt: Date.now(),
      bytesWritten: 0,
    };
    requests.push(record);
    response.on('close', () => {
      if (!response.writableFinished) record.disconnectedAt = Date.now();
    });
    const next = queue.shift() ?? fallback ?? { status: 500, message: 'the fake has no reply left' };
    const reply = typeof next === 'function' ? next(record) : next;
    const format = FORMATS[route.protocol];
    if ('status' in reply) refuse(response, format, reply);
    else {
      const model = route.path.exec(path)?.[1] ?? String(record.body['model']);
      await send(response, route.enveloped ? enveloped(format) : format, reply, model, record);
    }
  }

  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeModels = {
    url,
    models: [],
    requests,
    baseUrl: (protocol) => url + (ROUTES.find((route) => route.protocol === protocol)?.base ?? ''),
    reply: (...replies) => void queue.push(...replies),
    otherwise: (reply) => void (fallback = reply),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return fake;
}

/** The same events, each as `{ response, traceId }`. */
function enveloped(format: WireFormat): WireFormat {
  const wrap = (frame: Buffer) =>
    Buffer.from(
      frame.toString().replace(/^data: (.*)$/m, (_line, data: string) => `data: {"response":${data},"traceId":"t"}`),
    );
  return { ...format, frames: (answer, request) => format.frames(answer, request).map(wrap) };
}

/** Waits until the socket takes more, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function refuse(response: ServerResponse, format: WireFormat, refusal: Refusal): void {
  response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers });
  response.end(refusal.body ?? format.errorBody(refusal));
}

/** Sends the frames, with the pace, the write size and the fault that the script asks for. */
async function send(
  response: ServerResponse,
  format: WireFormat,
  answer: Answer,
  model: string,
  record: RecordedRequest,
): Promise<void> {
  response.writeHead(200, { 'content-type': format.contentType, 'x-request-id': 'fake-request' });
  response.flushHeaders();
  const { fault } = answer;
  const written = format.frames(answer, { model });
  const frames = answer.wire ? reshape(written, answer.wire) : written;
  const write = async (bytes: Buffer): Promise<void> => {
    const size = answer.writeSize ?? bytes.length;
    for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
      const piece = bytes.subarray(at, at + size);
      const goesOn = response.write(piece);
      record.bytesWritten += piece.length;
      // A pause after each piece, or the kernel joins them again.
      if (answer.writeSize !== undefined) await new Promise(setImmediate);
      if (!goesOn && !response.destroyed) await drained(response);
    }
  };
  for (const [index, frame] of frames.entries()) {
    if (response.destroyed) return;
    if (fault && fault.after === index) {
      if (fault.kind === 'stall') return;
      if (fault.kind === 'end-early') return void response.end();
      if (fault.kind === 'drop') {
        // What was written before goes out first, so that the break is inside the answer.
        await sleep(5);
        return void response.destroy();
      }
      if (fault.kind === 'error-event') {
        await write(format.errorFrame(fault.type, fault.message));
        return void response.end();
      }
      await write(format.brokenFrame(frame));
      continue;
    }
    await write(frame);
    if (answer.paceMs) await sleep(answer.paceMs);
  }
  response.end();
}

function listModels(path: string, response: ServerResponse, models: readonly string[]): void {
  const reply = (value: unknown) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (path.endsWith('/api/tags')) return reply({ models: models.map((name) => ({ name, model: name })) });
  if (path.endsWith('/models')) return reply({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) });
  response.writeHead(404).end('{"error":{"message":"no such path"}}');
}
