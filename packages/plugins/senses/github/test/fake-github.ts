/**
 * A server on loopback that speaks the protocol of GitHub: REST with tokens, pages, marks and limits, GraphQL for threads, logs that lie
 * on another server, and the repositories themselves over the smart HTTP protocol of git.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { later } from '@tenon/test-kit/temporary';

/** A question that came in. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What a rule answers. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string;
  /** Given in pages by `per_page` and `page`, with a Link header. */
  readonly list?: readonly unknown[];
  /** The list is in this field of an object. */
  readonly field?: string;
}

type Rule = Reply | ((asked: Asked) => Reply);

/** A running fake. */
export interface FakeGitHub {
  readonly host: string;
  readonly origin: string;
  readonly api: string;
  readonly token: string;
  readonly asked: Asked[];
  /** `GET /repos/a/b`, below the API, to answers. */
  readonly rules: Map<string, Rule>;
  /** The other server, which keeps logs. */
  readonly storage: { readonly origin: string; readonly asked: Asked[]; readonly files: Map<string, string> };
}

const TOKEN = 'ghp_fakeFAKEfake0123456789secret';

/** Starts one. `repositories` is the folder with bare repositories. */
export async function startFakeGitHub(repositories?: string, prefix = '/api/v3'): Promise<FakeGitHub> {
  const asked: Asked[] = [];
  const rules = new Map<string, Rule>();
  const files = new Map<string, string>();
  const storageAsked: Asked[] = [];
  const storage = await listen(async (request, response) => {
    const question = await readAsked(request);
    storageAsked.push(question);
    const body = files.get(question.path);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(body ?? 'gone');
  });
  const main = await listen(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    if (repositories !== undefined && /\.git\//.test(url.pathname))
      return serveGit(repositories, request, response, url);
    const question = await readAsked(request);
    asked.push(question);
    answer(question, response);
  });

  function answer(question: Asked, response: ServerResponse): void {
    const send = (status: number, headers: Record<string, string>, body: string) =>
      response
        .writeHead(status, {
          'content-type': 'application/json; charset=utf-8',
          'x-github-request-id': 'FAKE',
          ...headers,
        })
        .end(body);
    const problem = (status: number, message: string) =>
      send(status, {}, JSON.stringify({ message, documentation_url: 'https://docs.example/rest' }));
    const given = question.headers.authorization ?? question.headers['private-token'];
    const sent = typeof given === 'string' ? given.replace(/^(?:Bearer|token) /i, '') : undefined;
    if (sent !== undefined && sent !== TOKEN) return void problem(401, 'Bad credentials');
    if (!question.headers['user-agent']) return void problem(403, 'Request forbidden by administrative rules.');
    const graphql = question.path === '/api/graphql';
    if (!graphql && !question.path.startsWith(prefix)) return void problem(404, 'Not Found');
    const path = graphql ? '/graphql' : question.path.slice(prefix.length);
    const rule = rules.get(`${question.method} ${path}`);
    if (rule === undefined) return void problem(404, 'Not Found');
    const reply = typeof rule === 'function' ? rule(question) : rule;
    const limits = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': '2000000000' };
    const paged = reply.list && page(reply.list, reply.field, question);
    const body = reply.body ?? JSON.stringify(paged?.content ?? reply.json ?? {});
    const etag = `W/"${createHash('sha256').update(body).digest('hex').slice(0, 20)}"`;
    const headers = { ...limits, etag, ...paged?.headers, ...reply.headers };
    if (question.method === 'GET' && question.headers['if-none-match'] === etag) return void send(304, headers, '');
    send(reply.status ?? 200, headers, body);
  }

  function page(list: readonly unknown[], field: string | undefined, question: Asked) {
    const size = Math.min(100, Number(question.query.get('per_page') ?? 30));
    const at = Number(question.query.get('page') ?? 1);
    const items = list.slice((at - 1) * size, at * size);
    const address = (number: number) => {
      const query = new URLSearchParams(question.query);
      query.set('page', String(number));
      return `${origin}${question.path}?${query}`;
    };
    const last = Math.max(1, Math.ceil(list.length / size));
    const links = [
      ...(at < last ? [`<${address(at + 1)}>; rel="next"`, `<${address(last)}>; rel="last"`] : []),
      ...(at > 1 ? [`<${address(at - 1)}>; rel="prev"`] : []),
    ];
    const headers: Record<string, string> = links.length > 0 ? { link: links.join(', ') } : {};
    return { headers, content: field === undefined ? items : { total_count: list.length, [field]: items } };
  }

  const host = hostOf(main);
  const origin = `http://${host}`;
  return {
    host,
    origin,
    api: `${origin}${prefix}`,
    token: TOKEN,
    asked,
    rules,
    storage: { origin: `http://${hostOf(storage)}`, asked: storageAsked, files },
  };
}

function hostOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<Server> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

async function readAsked(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  return {
    method: request.method ?? '',
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  };
}

/** The real server side of git; pushing needs the token. */
function serveGit(root: string, request: IncomingMessage, response: ServerResponse, url: URL): void {
  const expected = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
  if (request.headers.authorization !== expected) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    return;
  }
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'tester',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      ...(request.headers['content-encoding'] !== undefined && {
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      }),
      ...(request.headers['git-protocol'] !== undefined && { GIT_PROTOCOL: String(request.headers['git-protocol']) }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = Object.fromEntries(
      all
        .subarray(0, Math.max(0, end))
        .toString()
        .split('\r\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    );
    response.writeHead(Number(headers['Status']?.slice(0, 3) ?? 200), headers).end(all.subarray(end + 4));
  });
}

/** An issue as GitHub writes it. */
export function issueJson(number: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 1000 + number,
    number,
    title: `Issue ${number}`,
    state: 'open',
    user: { login: 'ada', id: 1 },
    labels: [{ id: 1, name: 'bug', color: 'f00' }],
    assignees: [{ login: 'grace' }],
    milestone: null,
    comments: 0,
    created_at: '2026-01-02T03:04:05Z',
    updated_at: '2026-02-03T04:05:06Z',
    html_url: `https://github.example/acme/tool/issues/${number}`,
    body: `Body of ${number}`,
    ...more,
  };
}
