/** Servers on loopback: Streamable HTTP, the older SSE transport, and one that wants a login. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { later } from '@tenon/test-kit/temporary';

export type Message = {
  id?: number;
  method: string;
  params?: Record<string, never> & { name?: string; protocolVersion?: string };
};
type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export async function listen(handle: Handler, port = 0): Promise<{ server: Server; url: string; port: number }> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => handle(request, response, body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  later(() => close(server));
  const { port: taken } = server.address() as AddressInfo;
  return { server, port: taken, url: `http://127.0.0.1:${taken}` };
}

export async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

export const json = (response: ServerResponse, status: number, value: unknown, headers = {}) =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** What a server with one tool answers. */
export function answer({ id, method, params }: Message, tool: () => string): unknown {
  const results: Readonly<Record<string, () => unknown>> = {
    initialize: () => ({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'loopback', version: '1' },
    }),
    'tools/list': () => ({ tools: [{ name: 'who', description: 'Says who calls', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: tool() }] }),
    ping: () => ({}),
  };
  const result = results[method]?.();
  return result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } };
}

/** Streamable HTTP with sessions. `forget` makes it forget all of them. */
export async function streamable(options: { port?: number } = {}) {
  const sessions = new Set<string>();
  const seen: IncomingMessage['headers'][] = [];
  const place = await listen((request, response, body) => {
    seen.push(request.headers);
    if (request.method === 'GET') return void response.writeHead(405).end();
    const session = request.headers['mcp-session-id'];
    if (request.method === 'DELETE') return void (sessions.delete(String(session)), response.writeHead(200).end());
    const message = JSON.parse(body) as Message;
    if (message.method === 'initialize') {
      const made = randomUUID();
      sessions.add(made);
      return json(
        response,
        200,
        answer(message, () => ''),
        { 'mcp-session-id': made },
      );
    }
    if (!sessions.has(String(session))) return json(response, 404, { error: 'no such session' });
    if (message.id === undefined) return void response.writeHead(202).end();
    return json(
      response,
      200,
      answer(message, () => request.headers.authorization ?? 'nobody'),
    );
  }, options.port);
  return { ...place, url: `${place.url}/mcp`, seen, sessions, forget: () => sessions.clear() };
}

/** The transport of the first revision: a stream of events, and posts to an address that it names. */
export async function sse() {
  const streams = new Map<string, ServerResponse>();
  const place = await listen((request, response, body) => {
    const url = new URL(request.url ?? '/', 'http://x');
    if (request.method === 'GET' && url.pathname === '/sse') {
      const id = randomUUID();
      streams.set(id, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages?id=${id}\n\n`);
      return;
    }
    if (request.method !== 'POST' || url.pathname !== '/messages') return void response.writeHead(405).end();
    const message = JSON.parse(body) as Message;
    response.writeHead(202).end();
    if (message.id === undefined) return;
    const answered = answer(message, () => request.headers['x-who'] as string);
    streams.get(url.searchParams.get('id') ?? '')?.write(`event: message\ndata: ${JSON.stringify(answered)}\n\n`);
  });
  return { ...place, url: `${place.url}/sse`, streams };
}

/** A server that wants a login: metadata, registration, PKCE, tokens that end and are renewed once each. */
export async function guarded(options: { scope?: string } = {}) {
  const state = {
    clients: new Map<string, { redirect_uris: string[] }>(),
    codes: new Map<
      string,
      { challenge: string; client: string; redirect: string; resource: string | null; scope: string | null }
    >(),
    access: new Set<string>(),
    refresh: new Set<string>(),
    log: [] as string[],
    neededScope: undefined as string | undefined,
    /** Begins with everybody who shakes hands as of old; whoever asks as of today needs a login, and this scope for it. */
    discoverScope: undefined as string | undefined,
    scopes: new Map<string, string | null>(),
  };
  const issue = (scope: string | null) => {
    const [access, refresh] = [randomUUID(), randomUUID()];
    state.access.add(access);
    state.refresh.add(refresh);
    state.scopes.set(access, scope);
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: refresh,
      ...(scope && { scope }),
    };
  };
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse, body: string, url: URL) => void> = {
    '/.well-known/oauth-protected-resource/mcp': (_request, response) =>
      json(response, 200, {
        resource: `${place.url}/mcp`,
        authorization_servers: [place.url],
        ...(options.scope && { scopes_supported: options.scope.split(' ') }),
      }),
    '/.well-known/oauth-authorization-server': (_request, response) =>
      json(response, 200, {
        issuer: place.url,
        authorization_endpoint: `${place.url}/authorize`,
        token_endpoint: `${place.url}/token`,
        registration_endpoint: `${place.url}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      }),
    '/register'(_request, response, body) {
      const client = { ...(JSON.parse(body) as { redirect_uris: string[] }), client_id: randomUUID() };
      state.clients.set(client.client_id, client);
      state.log.push('register');
      json(response, 201, client);
    },
    '/authorize'(_request, response, _body, { searchParams }) {
      const get = (name: string) => searchParams.get(name);
      const [client, redirect] = [get('client_id') ?? '', get('redirect_uri') ?? ''];
      if (!state.clients.get(client)?.redirect_uris.includes(redirect) || get('code_challenge_method') !== 'S256') {
        return void response.writeHead(400).end('wrong client');
      }
      const code = randomUUID();
      const challenge = get('code_challenge') ?? '';
      state.codes.set(code, { challenge, client, redirect, resource: get('resource'), scope: get('scope') });
      const back = new URL(redirect);
      back.searchParams.set('code', code);
      back.searchParams.set('state', get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
    },
    '/token'(_request, response, body) {
      const form = new URLSearchParams(body);
      const kind = form.get('grant_type') ?? '';
      state.log.push(kind);
      if (kind === 'refresh_token') {
        // Each works once.
        if (!state.refresh.delete(form.get('refresh_token') ?? ''))
          return json(response, 400, { error: 'invalid_grant' });
        return json(response, 200, issue(null));
      }
      const code = state.codes.get(form.get('code') ?? '');
      const verifier = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const fits =
        code &&
        code.challenge === verifier &&
        code.client === form.get('client_id') &&
        code.redirect === form.get('redirect_uri');
      if (!fits || code.resource !== `${place.url}/mcp`) return json(response, 400, { error: 'invalid_grant' });
      return json(response, 200, issue(code.scope));
    },
    '/mcp'(request, response, body) {
      const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const metadata = `resource_metadata="${place.url}/.well-known/oauth-protected-resource/mcp"`;
      const asks = state.discoverScope;
      if (asks !== undefined && request.method === 'POST') {
        const message = JSON.parse(body) as Message;
        if (message.method === 'initialize')
          return json(
            response,
            200,
            answer(message, () => 'nobody'),
          );
        if (message.method === 'server/discover' && !state.scopes.get(token)?.split(' ').includes(asks))
          return void response.writeHead(401, { 'www-authenticate': `Bearer scope="${asks}", ${metadata}` }).end();
      }
      if (!state.access.has(token)) {
        return void response.writeHead(401, { 'www-authenticate': `Bearer ${metadata}` }).end();
      }
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const message = JSON.parse(body) as Message;
      if (message.id === undefined) return void response.writeHead(202).end();
      const scope = state.neededScope;
      if (scope && message.method === 'tools/call' && !state.scopes.get(token)?.split(' ').includes(scope)) {
        const challenge = `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`;
        return void response.writeHead(403, { 'www-authenticate': challenge }).end();
      }
      json(
        response,
        200,
        answer(message, () => 'a known user'),
      );
    },
  };
  const place = await listen((request, response, body) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const route = routes[url.pathname];
    if (route) route(request, response, body, url);
    else response.writeHead(404).end();
  });
  return { ...place, url: `${place.url}/mcp`, ...state, state };
}
