/** One request over HTTP, by Node's own client: its streams cost a fraction of those of `fetch`, and loading it does too. */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { UnreachableError } from '../failure.ts';
import { needsProxy } from '../proxy.ts';
import { Holding } from './holding.ts';

/** What is sent. */
export interface Outgoing {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The head of an answer and the stream of its body. */
export interface Reply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Record<string, string>;
  readonly body: Readable;
  /** For the connection that the body comes on, where it can be had. */
  readonly holding?: Holding | undefined;
}

type Send = (options: RequestOptions) => ClientRequest;

/** How one attempt went; `wasKept` when it was made on a connection that had served before. */
type Outcome = { readonly reply: Reply } | { readonly fault: Error; readonly wasKept: boolean };

/** Kept connections are closed after this long without a request. */
const IDLE_MS = 60_000;
/** A server that cannot be reached within this time is given up: the next attempt may find another way. */
const CONNECT_MS = 10_000;
/** So many kept connections may turn out to be closed before a request gets through. */
const MAX_CLOSED = 8;
/** How it shows that the server had closed a kept connection before the request came. */
const CLOSED_BEFORE = /ECONNRESET|EPIPE|UND_ERR_SOCKET/;

const clients = new Map<string, Promise<Send>>();

/** Sends a request and waits for the head of the answer. Rejects with `UnreachableError`, or with the signal's reason. */
export async function connect(outgoing: Outgoing, signal: AbortSignal, connectMs = CONNECT_MS): Promise<Reply> {
  const attempt = needsProxy(outgoing.url, process.env)
    ? () => throughProxy(outgoing, signal)
    : await directly(outgoing, signal, connectMs);
  for (let closed = 0; ; closed++) {
    signal.throwIfAborted();
    const outcome = await attempt();
    if ('reply' in outcome) return outcome.reply;
    // Small servers close connections after seconds, and that is noticed only by the next request on one. It never
    // reached anybody, so it is sent once more at once; a server that is really down refuses that one, too.
    if (!outcome.wasKept || !CLOSED_BEFORE.test(codeOf(outcome.fault)) || closed >= MAX_CLOSED)
      throw unreachable(outcome.fault);
  }
}

async function directly(outgoing: Outgoing, signal: AbortSignal, connectMs: number): Promise<() => Promise<Outcome>> {
  const { protocol } = outgoing.url;
  const client = clients.get(protocol) ?? clientFor(protocol);
  clients.set(protocol, client);
  const send = await client;
  return () => once(send, outgoing, signal, connectMs);
}

async function clientFor(protocol: string): Promise<Send> {
  const { Agent, request } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  return (options) => request({ ...options, agent });
}

function once(send: Send, { url, headers, body }: Outgoing, signal: AbortSignal, connectMs: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const request = send({
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port,
      path: url.pathname + url.search,
      headers: { ...headers, 'content-length': body.length },
    });
    const onAbort = () => {
      reject(signal.reason as Error);
      request.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('error', (fault) => {
      signal.removeEventListener('abort', onAbort);
      resolve({ fault, wasKept: request.reusedSocket });
    });
    request.on('response', (response) => {
      signal.removeEventListener('abort', onAbort);
      resolve({ reply: replyOf(response) });
    });
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      const late = new Error(`no connection within ${Math.ceil(connectMs / 1000)} s`);
      const timer = setTimeout(() => request.destroy(Object.assign(late, { code: 'ETIMEDOUT' })), connectMs);
      const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(connected, () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    });
    request.end(body);
  });
}

function replyOf(response: IncomingMessage): Reply {
  const { statusCode = 0, statusMessage = '' } = response;
  const headers = flat(response.headers);
  return {
    status: statusCode,
    statusText: statusMessage,
    headers,
    body: response,
    holding: Holding.of(response.socket),
  };
}

/** Node's client knows no proxies; undici does, and is loaded only for them. */
async function throughProxy({ url, headers, body }: Outgoing, signal: AbortSignal): Promise<Outcome> {
  const { environmentRequest } = await import('../undici.ts');
  signal.throwIfAborted();
  try {
    const { statusCode, headers: found, body: stream } = await environmentRequest(url, { headers, body, signal });
    // A break is told to whoever reads; before that, or where nobody does, it must not end the process.
    stream.on('error', () => undefined);
    return { reply: { status: statusCode, statusText: '', headers: flat(found), body: stream } };
  } catch (fault) {
    signal.throwIfAborted();
    return { fault: fault as Error, wasKept: true }; // It does not say; a request too many through a proxy does no harm.
  }
}

function codeOf(fault: Error): string {
  return (fault as NodeJS.ErrnoException).code ?? '';
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Where several addresses of a host were tried, the first one's fault says enough. */
function unreachable(fault: Error): UnreachableError {
  const cause = fault instanceof AggregateError ? (fault.errors[0] as Error) : fault;
  return new UnreachableError('the connection failed', { cause });
}
