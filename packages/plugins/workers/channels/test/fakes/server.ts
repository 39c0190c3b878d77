/** A loopback HTTP server for fakes of services. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { later } from '@tenon/test-kit/temporary';

/** What a fake is asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The body as JSON; undefined when it is none. */
  readonly json: Record<string, unknown> | undefined;
  /** For answers that stay open. */
  readonly response: ServerResponse;
}

/** What it answers; nothing when it answers by itself. */
export type Answer =
  | { readonly status: number; readonly json: unknown; readonly headers?: Record<string, string> }
  | undefined;

/** A server on loopback that ends with the test. */
export async function startServer(
  answer: (asked: Asked) => Answer | Promise<Answer>,
): Promise<{ readonly server: Server; readonly origin: string; readonly port: number }> {
  const server = createServer((request, response) => {
    void handle(request, response, answer);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  later(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, origin: `http://127.0.0.1:${port}` };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (asked: Asked) => Answer | Promise<Answer>,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  const body = Buffer.concat(parts).toString('utf8');
  const url = new URL(request.url ?? '/', 'http://fake');
  const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '');
  const asked: Asked = {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body,
    json: isJson && body !== '' ? (JSON.parse(body) as Record<string, unknown>) : undefined,
    response,
  };
  const answered = await answer(asked);
  if (answered === undefined) return;
  response.writeHead(answered.status, { 'content-type': 'application/json', ...answered.headers });
  response.end(JSON.stringify(answered.json));
}
