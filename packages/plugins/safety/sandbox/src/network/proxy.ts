/**
 * The only way out of a sandbox whose network is off: a proxy (HTTP CONNECT and plain HTTP) that connects to the hosts of the
 * allow list and to nothing else. Names are resolved here, so programs inside need no name service.
 */
import { lookup } from 'node:dns/promises';
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { type Logger, messageOf } from '@tenon/kernel';
import { findRule, type HostRule, mayLeadTo, PUBLIC_HOSTS } from './host-rules.ts';

/** A running proxy. */
export interface Proxy {
  /** Its port on the loopback interface; undefined when it listens on a Unix socket. */
  readonly port: number | undefined;
  /** The hosts that were refused since this was asked last, each once. */
  takeRefused(): readonly string[];
  close(): Promise<void>;
}

/** Where a proxy listens. */
export type ProxyPlace = { readonly socket: string } | { readonly loopback: true };

const CONNECT_MS = 30_000;
const MAX_REFUSED = 20;
/** Headers that belong to one connection and are not passed on. */
const HOP_HEADERS = new Set(['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'upgrade']);

/** Starts a proxy for `rules`. */
export async function startProxy(place: ProxyPlace, rules: readonly HostRule[], log: Logger): Promise<Proxy> {
  const open = new Set<Duplex>();
  const refused = new Set<string>();
  const onRefusal = (host: string, port: number | string) => {
    log.info('the sandbox refused a connection', { host, port });
    if (refused.size < MAX_REFUSED) refused.add(`${host}:${port}`);
  };
  const track = <S extends Duplex>(socket: S): S => {
    open.add(socket);
    // A connection that breaks is the business of its two ends.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
    return socket;
  };
  const server = createServer((request, response) => void forward(request, response, rules, onRefusal));
  server.on('connection', track);
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    void tunnel(request, client, head, { rules, onRefusal, track });
  });
  await listen(server, place);
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? (address as AddressInfo).port : undefined,
    takeRefused() {
      const hosts = [...refused];
      refused.clear();
      return hosts;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function listen(server: Server, place: ProxyPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const done = () => {
      server.removeListener('error', reject);
      // A sandbox must not keep Tenon from ending.
      server.unref();
      resolve();
    };
    if ('socket' in place) server.listen(place.socket, done);
    else server.listen(0, '127.0.0.1', done);
  });
}

/** The address to connect to, or why not. */
async function judge(
  host: string,
  port: number,
  rules: readonly HostRule[],
): Promise<{ address: string } | { refusal: string }> {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const rule = findRule(rules, bare, port);
  const shown = `${host}:${port}`;
  if (!rule) return { refusal: `${shown} is not in sandbox.network.allow` };
  if (isIP(bare) !== 0 && rule !== PUBLIC_HOSTS) return { address: bare };
  const { address } = isIP(bare) === 0 ? await lookup(bare) : { address: bare };
  return mayLeadTo(rule, address)
    ? { address }
    : { refusal: `${shown} leads to ${address}, an address of this machine or its network` };
}

interface TunnelParts {
  readonly rules: readonly HostRule[];
  onRefusal(host: string, port: number | string): void;
  track<S extends Duplex>(socket: S): S;
}

async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer, parts: TunnelParts): Promise<void> {
  const [, host = '', digits = ''] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(request.url ?? '') ?? [];
  const answer = (status: string, text: string) =>
    client.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${text}\n`);
  try {
    const verdict = await judge(host, Number(digits), parts.rules);
    if ('refusal' in verdict) {
      parts.onRefusal(host, digits);
      answer('403 Forbidden', `Tenon's sandbox: ${verdict.refusal}.`);
      return;
    }
    const upstream: Socket = parts.track(connect({ host: verdict.address, port: Number(digits), timeout: CONNECT_MS }));
    upstream.once('timeout', () => upstream.destroy(new Error('no answer')));
    let isOpen = false;
    upstream.once('error', (fault) => {
      if (!isOpen) answer('502 Bad Gateway', fault.message);
    });
    upstream.once('connect', () => {
      isOpen = true;
      upstream.setTimeout(0);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => {
      if (isOpen) client.destroy();
    });
  } catch (fault) {
    answer('502 Bad Gateway', messageOf(fault));
  }
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  rules: readonly HostRule[],
  onRefusal: TunnelParts['onRefusal'],
): Promise<void> {
  const answer = (status: number, text: string) => {
    if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain' });
    response.end(`${text}\n`);
  };
  try {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    if (url?.protocol !== 'http:')
      return answer(400, "This is a proxy of Tenon's sandbox; it takes absolute http URLs and CONNECT.");
    const port = Number(url.port || 80);
    const verdict = await judge(url.hostname, port, rules);
    if ('refusal' in verdict) {
      onRefusal(url.hostname, port);
      return answer(403, `Tenon's sandbox: ${verdict.refusal}.`);
    }
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_HEADERS.has(name)));
    const upstream = httpRequest(
      {
        host: verdict.address,
        port,
        method: request.method,
        path: url.pathname + url.search,
        headers: { ...headers, host: url.host },
        timeout: CONNECT_MS,
      },
      (reply) => {
        try {
          response.writeHead(reply.statusCode ?? 502, reply.headers);
        } catch (fault) {
          // A number that is no status, for example. Nobody else would catch it, and Tenon would end.
          reply.destroy();
          return answer(502, messageOf(fault));
        }
        // A reply that breaks off breaks off here, too.
        pipeline(reply, response, () => undefined);
      },
    );
    upstream.on('upgrade', (_reply, socket: Duplex) => {
      socket.destroy();
      answer(502, 'The server wants another protocol than HTTP.');
    });
    upstream.on('timeout', () => upstream.destroy(new Error('no answer')));
    upstream.on('error', (fault) => answer(502, fault.message));
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  } catch (fault) {
    answer(502, messageOf(fault));
  }
}
