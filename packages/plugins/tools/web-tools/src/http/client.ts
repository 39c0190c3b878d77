/** Asks servers: guarded, bounded in time and size, with redirects followed by hand. */
import { lookup } from 'node:dns/promises';
import type { Readable } from 'node:stream';
import { messageOf, TenonError } from '@tenon/kernel';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { errors } from '../errors.ts';
import { type AddressGuard, type AddressPolicy, createGuard } from './address-guard.ts';
import { ACCEPTED_ENCODINGS, readBody, UnpackError } from './body.ts';
import { proxyFor } from './proxy.ts';

/** One question. */
export interface HttpRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** An origin that the user's settings name: it may be private, and only it is given `secrets`. */
  readonly trustedOrigin?: string;
  /** Headers with keys; they never leave the origin of `url`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** By default what was read so far is given with `isCut`. */
  readonly whenTooLarge?: 'cut' | 'refuse';
}

/** The answer, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  /** After redirects. */
  readonly url: URL;
  readonly contentType: string;
  header(name: string): string | undefined;
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** How the client behaves unless a request says otherwise. */
export interface ClientOptions extends AddressPolicy {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly userAgent: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const MAX_REDIRECTS = 8;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A client with its connections. */
export class HttpClient {
  readonly #options: ClientOptions;
  readonly #guard: AddressGuard;
  readonly #guarded: Agent;
  readonly #open = new Agent();
  readonly #proxies = new Map<string, ProxyAgent>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#guard = createGuard(options);
    this.#guarded = new Agent({
      connect: { lookup: (...args) => this.#guard.lookup(...(args as Parameters<AddressGuard['lookup']>)) },
    });
  }

  /** Rejects with an error of the catalogue, or with the reason of `signal`. */
  async ask(question: HttpRequest): Promise<HttpAnswer> {
    const timeoutMs = question.timeoutMs ?? this.#options.timeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([question.signal, timeout]);
    let url = parseUrl(question.url);
    try {
      for (let hops = 0; ; hops++) {
        const answer = await this.#askTwice(url, question, signal);
        // A body is sent to nobody but the one it was written for.
        const follows = question.method !== 'POST' && REDIRECTS.has(answer.statusCode);
        const location = follows ? headerOf(answer.headers, 'location') : undefined;
        if (location === undefined) return await this.#finish(url, answer, question);
        answer.body.destroy();
        url = nextUrl(url, location, hops);
      }
    } catch (fault) {
      question.signal.throwIfAborted();
      if (timeout.aborted) throw errors.create('WEB_TIMEOUT', { host: url.host, seconds: timeoutMs / 1000 }, fault);
      throw explain(fault, url);
    }
  }

  /** A server may close a connection that waits for its next use just when it is used; that says nothing about the server. */
  async #askTwice(url: URL, question: HttpRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await this.#askOnce(url, question, signal);
    } catch (fault) {
      const isClosed = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes((fault as NodeJS.ErrnoException).code ?? '');
      if (!isClosed || question.method === 'POST' || signal.aborted) throw fault;
      return this.#askOnce(url, question, signal);
    }
  }

  async #askOnce(url: URL, question: HttpRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const isFirst = url.origin === parseUrl(question.url).origin;
    const answer = await request(url, {
      dispatcher: await this.#dispatcher(url, question),
      method: question.method ?? 'GET',
      headers: {
        'user-agent': this.#options.userAgent,
        accept: '*/*',
        'accept-encoding': ACCEPTED_ENCODINGS,
        ...question.headers,
        ...(isFirst && question.secrets),
      },
      ...(question.body !== undefined && { body: question.body }),
      signal,
    });
    // Whoever reads the body is told of failures; one that is dropped has no reader, and would end the process instead.
    answer.body.on('error', () => undefined);
    return answer;
  }

  async #dispatcher(url: URL, { trustedOrigin }: HttpRequest): Promise<Dispatcher> {
    const isOpen = url.origin === trustedOrigin || this.#guard.isAllowed(url);
    if (!isOpen) this.#guard.checkLiteral(url);
    const proxy = proxyFor(url, this.#options.env);
    if (proxy === undefined) return isOpen ? this.#open : this.#guarded;
    // The proxy resolves the name; where this machine can too, it must not be a private one.
    if (!isOpen) await this.#checkByName(url);
    const known = this.#proxies.get(proxy) ?? new ProxyAgent(proxy);
    this.#proxies.set(proxy, known);
    return known;
  }

  async #checkByName(url: URL): Promise<void> {
    // Behind a proxy, names of the outside often cannot be resolved here at all.
    const addresses = await lookup(url.hostname, { all: true }).catch(() => []);
    for (const { address, family } of addresses) {
      const literal = new URL(url);
      literal.hostname = family === 6 ? `[${address}]` : address;
      this.#guard.checkLiteral(literal);
    }
  }

  async #finish(url: URL, answer: Dispatcher.ResponseData, question: HttpRequest): Promise<HttpAnswer> {
    const maxBytes = question.maxBytes ?? this.#options.maxBytes;
    const header = (name: string) => headerOf(answer.headers, name);
    const { bytes, isCut } = await readBody(answer.body as Readable, header('content-encoding') ?? '', maxBytes);
    if (isCut && question.whenTooLarge === 'refuse') throw tooLarge(url, maxBytes);
    return { status: answer.statusCode, url, contentType: header('content-type') ?? '', header, bytes, isCut };
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#guarded, this.#open, ...this.#proxies.values()].map((agent) => agent.destroy()));
  }
}

/** The error for a body that does not fit. */
export function tooLarge(url: URL, maxBytes: number): TenonError {
  return errors.create('WEB_TOO_LARGE', { url: url.href, limit: `${Math.round(maxBytes / 1024 / 1024)} MB` });
}

/** A URL that can be asked, without the part after `#`. */
export function parseUrl(text: string): URL {
  const refuse = (reason: string) => errors.create('WEB_ADDRESS', { url: text.slice(0, 300), reason });
  if (!URL.canParse(text)) throw refuse('it is not a valid address');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuse(`"${url.protocol}//" is not the web`);
  if (url.username !== '' || url.password !== '') throw refuse('it has a user name or password in it');
  url.hash = '';
  return url;
}

/** Where a redirect leads, if it may be followed. */
export function nextUrl(from: URL, location: string, hops: number): URL {
  const refuse = (reason: string, to = location) =>
    errors.create('WEB_REDIRECT', { url: from.href, to: to.slice(0, 300), reason });
  if (hops >= MAX_REDIRECTS) throw refuse(`it was sent on more than ${MAX_REDIRECTS} times`);
  if (!URL.canParse(location, from.href)) throw refuse('that is not a valid address');
  const to = new URL(location, from.href);
  if (to.protocol !== 'http:' && to.protocol !== 'https:') throw refuse('that is not the web', to.href);
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw refuse('it would leave the encrypted connection', to.href);
  if (to.username !== '' || to.password !== '') throw refuse('it has a user name or password in it');
  to.hash = '';
  return to;
}

function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up just now',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'there is no way to it',
  UND_ERR_CONNECT_TIMEOUT: 'it does not accept the connection',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
};

function explain(fault: unknown, url: URL): Error {
  if (fault instanceof TenonError) return fault;
  // The guard's refusal comes wrapped by the socket.
  const { cause } = fault as { cause?: unknown };
  if (cause instanceof TenonError) return cause;
  if (fault instanceof UnpackError)
    return errors.create('WEB_ENCODING', { host: url.host, reason: fault.message }, fault);
  const several = fault instanceof AggregateError ? (fault.errors as unknown[])[0] : undefined;
  const code = (fault as NodeJS.ErrnoException).code ?? (several as NodeJS.ErrnoException | undefined)?.code ?? '';
  return errors.create(
    'WEB_UNREACHABLE',
    { host: url.host, reason: REASONS[code] ?? messageOf(several ?? fault) },
    fault,
  );
}
