/** A real HTTP server on loopback that answers by rules and remembers what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A question that came in. */
export interface Asked {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What to answer. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly json?: unknown;
}

type Rule = Reply | ((asked: Asked, response: ServerResponse) => Reply | undefined | void);

/** A running fake. */
export interface FakeWeb {
  readonly origin: string;
  readonly host: string;
  readonly asked: Asked[];
  /** Paths, with or without query, to answers. */
  readonly rules: Map<string, Rule>;
  close(): Promise<void>;
}

/** Starts a server. */
export async function openFakeWeb(rules: Readonly<Record<string, Rule>> = {}): Promise<FakeWeb> {
  const table = new Map(Object.entries(rules));
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
      const question: Asked = {
        method: request.method ?? '',
        url: request.url ?? '',
        path: pathname,
        query: searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      asked.push(question);
      const rule = table.get(question.url) ?? table.get(question.path);
      const reply = typeof rule === 'function' ? rule(question, response) : (rule ?? { status: 404, body: 'not here' });
      if (!reply) return; // The rule answers by itself.
      const type = reply.json === undefined ? 'text/plain' : 'application/json';
      response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers });
      response.end(reply.json === undefined ? (reply.body ?? '') : JSON.stringify(reply.json));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: `http://${host}`,
    host,
    asked,
    rules: table,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** HTML as a reply. */
export function html(body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { body, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } };
}
