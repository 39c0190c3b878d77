import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';

/** A request as the fakes of logins see it. */
export interface FakeRequest {
  readonly method: string;
  readonly url: URL;
  readonly query: URLSearchParams;
  readonly authorization: string;
  /** The body as a form; empty for another kind. */
  readonly form: URLSearchParams;
  /** The body as JSON; empty for another kind. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** What a fake answers. */
export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Routes by `METHOD /path`. */
export type FakeRoutes = Readonly<Record<string, (request: FakeRequest) => FakeAnswer>>;

/** Serves routes on a free loopback port. */
export async function serveRoutes(routes: FakeRoutes): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? '127.0.0.1'}`);
    const body = await readAll(request);
    const type = request.headers['content-type'] ?? '';
    const route = routes[`${request.method} ${url.pathname}`];
    const answer: FakeAnswer = route?.({
      method: request.method ?? 'GET',
      url,
      query: url.searchParams,
      authorization: request.headers.authorization ?? '',
      form: new URLSearchParams(type.startsWith('application/x-www-form-urlencoded') ? body : ''),
      json: type.startsWith('application/json') && body !== '' ? (JSON.parse(body) as Record<string, unknown>) : {},
    }) ?? { status: 404, body: { message: 'Not Found' } };
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
