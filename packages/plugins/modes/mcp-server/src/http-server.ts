/** Streamable HTTP on this machine: loopback only, with a token, and not for pages of a browser. */
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type Logger, messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';
import type { ServedClient } from './make-server.ts';

/** How HTTP is served. */
export interface HttpOptions {
  readonly port: number;
  readonly token: string;
  readonly log: Logger;
  /** Makes a server for a new client; `closed` is called when the client is gone. */
  connect(): ServedClient;
  closed(client: ServedClient): void;
  /** Makes a server for one request of a revision without a handshake (2026-07-28). */
  make(): Server;
}

/** A server that listens. */
export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

const PATH = '/mcp';
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);
const MOST_CLIENTS = 64;

interface Connected {
  readonly client: ServedClient;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
}

/** Begins to listen. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const clients = new Map<string, Connected>();
  const modern = createMcpHandler(options.make, {
    legacy: 'reject',
    onerror: (fault) => options.log.warn(`an MCP request could not be handled: ${messageOf(fault)}`),
  });
  const server = createServer((request, response) => {
    answer(request, response, options, { clients, modern }).catch((fault: unknown) => {
      options.log.warn(`an MCP request failed: ${messageOf(fault)}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  server.listen(options.port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (fault) {
    throw errors.create('MCP_SERVE_PORT', { port: options.port, reason: messageOf(fault) }, fault);
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    async close() {
      await Promise.all([...clients.values()].map(({ transport }) => transport.close()));
      await modern.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
  { clients, modern }: { readonly clients: Map<string, Connected>; readonly modern: McpHttpHandler },
): Promise<void> {
  const refusal = refusalOf(request, options.token);
  if (refusal) return refuse(refusal, response);
  const web = new Request(`http://127.0.0.1${request.url ?? PATH}`, {
    method: request.method ?? 'GET',
    headers: headersOf(request),
    ...(request.method === 'POST' && { body: Readable.toWeb(request), duplex: 'half' }),
  } as unknown as RequestInit);
  if (request.method === 'POST' && !(await isLegacyRequest(web))) return send(await modern.fetch(web), response);
  const id = request.headers['mcp-session-id'];
  const known = typeof id === 'string' ? clients.get(id) : undefined;
  if (known) known.usedAt = Date.now();
  // The protocol's word for a session that has ended: the client begins a new one by itself.
  else if (id !== undefined)
    return refuse({ status: 404, message: 'This session has ended; begin a new one.' }, response);
  const transport = known?.transport ?? (await connect(options, clients));
  await send(await transport.handleRequest(web), response);
  if (!known && transport.sessionId === undefined) await transport.close();
}

function refuse(
  { status, message }: { readonly status: number; readonly message: string },
  response: ServerResponse,
): void {
  const headers = { 'content-type': 'application/json', ...(status === 401 && { 'www-authenticate': 'Bearer' }) };
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

async function connect(
  options: HttpOptions,
  clients: Map<string, Connected>,
): Promise<WebStandardStreamableHTTPServerTransport> {
  const client = options.connect();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized(id) {
      clients.set(id, { client, transport, usedAt: Date.now() });
      void dropOldest(clients);
    },
  });
  transport.onclose = () => {
    if (transport.sessionId !== undefined) clients.delete(transport.sessionId);
    options.closed(client);
  };
  await client.server.connect(transport);
  return transport;
}

/** Clients that end without a word must not pile up. */
async function dropOldest(clients: Map<string, Connected>): Promise<void> {
  if (clients.size <= MOST_CLIENTS) return;
  const [oldest] = [...clients.values()].sort((a, b) => a.usedAt - b.usedAt);
  await oldest?.transport.close();
}

/** Whoever is not to be answered: the wrong path, a page of a browser, no token. */
function refusalOf(
  { headers, url = '', method = '' }: IncomingMessage,
  token: string,
): { readonly status: number; readonly message: string } | undefined {
  if (new URL(url, 'http://127.0.0.1').pathname !== PATH) return { status: 404, message: `Use ${PATH}.` };
  if (!['GET', 'POST', 'DELETE'].includes(method)) return { status: 405, message: 'Use POST, GET or DELETE.' };
  // A page of some site may be made to point to this machine by its name server.
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  if (!LOCAL.has(host)) return { status: 403, message: 'This server answers to this machine only.' };
  if (headers.origin !== undefined && !isLocalOrigin(headers.origin)) {
    return { status: 403, message: 'Pages of other sites are not answered.' };
  }
  const presented = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return same(presented, token)
    ? undefined
    : { status: 401, message: 'Send the token as "Authorization: Bearer TOKEN".' };
}

function isLocalOrigin(origin: string): boolean {
  return URL.canParse(origin) && LOCAL.has(new URL(origin).hostname);
}

function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function headersOf({ headers }: IncomingMessage): Headers {
  const made = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const item of [value].flat()) if (item !== undefined) made.append(name, item);
  }
  return made;
}

async function send(answered: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (!answered.body) return void response.end();
  // A client that goes away ends the stream; that is no fault.
  await pipeline(Readable.fromWeb(answered.body as ReadableStream), response).catch(() => undefined);
}
