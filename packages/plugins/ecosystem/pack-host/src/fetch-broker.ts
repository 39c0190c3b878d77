/**
 * Makes requests for packs. The sandbox has no network; a pack's `fetch` ends here, where every host, every redirect and
 * every address that a name stands for is checked before a connection is made.
 */
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { messageOf, TenonError } from '@tenon/kernel';
import { isPrivateHost, isPublicAddress } from '@tenon/sandbox/api';
import { errors } from './errors.ts';
import { type NetRule, ruleFor } from './net-rules.ts';

/** A request as it comes from a pack. */
export interface BrokeredRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array;
  readonly redirect: string;
}

/** The answer; `body` is read piece by piece, as fast as the pack takes it. */
export interface BrokeredResponse {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly redirected: boolean;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Loaded with the first request: every start reads this file, and few packs fetch. */
async function loadNetwork() {
  const [dns, http, https, zlib] = await Promise.all([
    import('node:dns'),
    import('node:http'),
    import('node:https'),
    import('node:zlib'),
  ]);
  return { dns, http, https, zlib };
}

type Network = Awaited<ReturnType<typeof loadNetwork>>;

const MAX_REDIRECTS = 10;
const IDLE_MS = 60_000;
const PIECE_BYTES = 64 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** These belong to the connection, or would let a pack say that it is somebody else. */
const OWN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'proxy-authorization',
  'te',
]);
/** Not told to another host than the one they were meant for. */
const SECRET_HEADERS = new Set(['authorization', 'cookie']);

/** Makes requests for one pack, to the hosts that it declares. */
export function createFetchBroker(
  plugin: string,
  hosts: readonly string[],
): (request: BrokeredRequest, signal: AbortSignal | undefined) => Promise<BrokeredResponse> {
  const refuse = (host: string, reason: string) => errors.create('PACK_HOST_NET_REFUSED', { plugin, host, reason });

  const allowed = (url: URL): NetRule => {
    const rule = ruleFor(url, hosts);
    if (!rule)
      throw refuse(
        url.host || url.href,
        hosts.length === 0 ? 'it declares no hosts' : `it declares only ${hosts.join(', ')}`,
      );
    return rule;
  };

  const send = async (
    { dns, http, https }: Network,
    url: URL,
    request: BrokeredRequest,
    signal: AbortSignal | undefined,
  ): Promise<IncomingMessage> => {
    const rule = allowed(url);
    const lookup: LookupFunction = (name, options, done) => {
      dns.lookup(name, { ...options, all: true }, (fault, addresses) => {
        if (fault) return done(fault, '', 0);
        const bad = rule.isPrivate ? undefined : addresses.find(({ address }) => !isPublicAddress(address));
        const [first] = addresses;
        if (bad || !first) {
          const reason = bad
            ? `the name stands for ${bad.address}, which is not on the public network`
            : 'the name stands for nothing';
          return done(refuse(url.host, reason) as NodeJS.ErrnoException, '', 0);
        }
        return options.all ? done(null, addresses) : done(null, first.address, first.family);
      });
    };
    if (!rule.isPrivate && isPrivateHost(url.hostname)) throw refuse(url.host, 'it is not on the public network');
    return new Promise((resolve, reject) => {
      const start = url.protocol === 'https:' ? https.request : http.request;
      const headers = Object.fromEntries(request.headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())));
      const outgoing = start(url, {
        method: request.method,
        headers: {
          'accept-encoding': 'gzip, deflate, br',
          'user-agent': 'tenon-pack',
          ...headers,
          ...(request.body && { 'content-length': request.body.byteLength }),
        },
        lookup,
        timeout: IDLE_MS,
        ...(signal && { signal }),
      });
      // Also ends answers that the pack never reads: they would hold their connection forever.
      outgoing.on('timeout', () => outgoing.destroy(new Error(`nothing moved for ${IDLE_MS / 1_000} s`)));
      outgoing.on('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(request.body);
    });
  };

  return async (request, signal) => {
    let current = request;
    let url = parseUrl(request.url, refuse);
    const network = await loadNetwork();
    for (let redirects = 0; ; redirects++) {
      const incoming = await send(network, url, current, signal).catch((fault: unknown) => {
        if (fault instanceof TenonError || signal?.aborted) throw fault;
        throw errors.create('PACK_HOST_NET_FAILED', { plugin, url: url.origin, reason: messageOf(fault) }, fault);
      });
      const location = incoming.headers.location;
      const status = incoming.statusCode ?? 0;
      if (!REDIRECTS.has(status) || location === undefined || current.redirect === 'manual') {
        return answer(network, incoming, url, redirects > 0);
      }
      incoming.destroy();
      if (current.redirect === 'error')
        throw errors.create('PACK_HOST_NET_FAILED', { plugin, url: url.origin, reason: 'it redirects' });
      if (redirects >= MAX_REDIRECTS)
        throw errors.create('PACK_HOST_NET_FAILED', { plugin, url: url.origin, reason: 'it redirects in circles' });
      const next = parseUrl(location, refuse, url);
      current = follow(current, status, next.origin === url.origin);
      url = next;
    }
  };
}

function parseUrl(text: string, refuse: (host: string, reason: string) => Error, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw refuse(text.slice(0, 200), 'it is not a URL');
  const url = new URL(text, base);
  if (url.username || url.password) throw refuse(url.host, 'the URL carries a password; send it as a header');
  return url;
}

function follow(request: BrokeredRequest, status: number, sameOrigin: boolean): BrokeredRequest {
  const toGet = status === 303 || ((status === 301 || status === 302) && request.method === 'POST');
  const headers = request.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return (sameOrigin || !SECRET_HEADERS.has(lower)) && !(toGet && lower.startsWith('content-'));
  });
  const { body, ...rest } = request;
  return { ...rest, headers, method: toGet ? 'GET' : request.method, ...(body && !toGet && { body }) };
}

function answer({ zlib }: Network, incoming: IncomingMessage, url: URL, redirected: boolean): BrokeredResponse {
  const encoding = incoming.headers['content-encoding'];
  const decoders: Record<string, (() => Readable & NodeJS.WritableStream) | undefined> = {
    gzip: zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  const decoder = encoding === undefined ? undefined : decoders[encoding]?.();
  const body: Readable = decoder ? incoming.pipe(decoder) : incoming;
  if (decoder) incoming.on('error', (fault) => decoder.destroy(fault));
  const { rawHeaders } = incoming;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const dropped = decoder !== undefined && ['content-encoding', 'content-length'].includes(name.toLowerCase());
    if (!dropped) headers.push([name, rawHeaders[at + 1] ?? '']);
  }
  const { statusCode: status = 0, statusMessage: statusText = '' } = incoming;
  return { url: url.href, status, statusText, headers, redirected, body: pieces(body, incoming) };
}

async function* pieces(body: Readable, incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
    }
  } finally {
    incoming.destroy();
  }
}
