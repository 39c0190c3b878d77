/** Asks the API of one server: with its token and nobody else's, within limits of time, size and rate. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, TenonError } from '@tenon/kernel';
import { isPrivateHost } from '@tenon/sandbox/api';
import { byteText, plainLine } from '@tenon/wording';
import type { Dispatcher } from 'undici';
import { errors } from '../errors.ts';
import type { AnswerCache } from './answer-cache.ts';
import { type Loose, object, objects, text } from './loose.ts';
import { limitIn } from './rate-limit.ts';

/** One question. */
export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly accept?: string;
  readonly maxBytes?: number;
  /** For messages: "issue 12 of a/b". */
  readonly what?: string;
}

/** A good answer. */
export interface Answer {
  readonly body: string;
  readonly link: string;
  readonly status: number;
}

/** What a client needs to know. */
export interface ClientOptions {
  /** As people write it: github.com. */
  readonly host: string;
  /** Where the API is, without a slash at its end. */
  readonly api: string;
  readonly forge: string;
  readonly token?: {
    readonly value: string;
    readonly from: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** How the user can log in. */
  readonly ways: string;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  readonly cache: AnswerCache;
  dispatcher(): Promise<Dispatcher>;
  /** Told when a limit makes the call wait. */
  onWait?(seconds: number): void;
}

const MB = 1024 * 1024;
const MAX_BYTES = 10 * MB;
const MAX_REDIRECTS = 5;
const MAX_RETRIES = 3;
const PAGE = 100;

interface Raw {
  readonly status: number;
  readonly url: URL;
  readonly body: string;
  header(name: string): string;
}

/** A way to one server. */
export class ForgeClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get host(): string {
    return this.#options.host;
  }

  get api(): string {
    return this.#options.api;
  }

  get hasToken(): boolean {
    return this.#options.token !== undefined;
  }

  /** The JSON of an answer. */
  async json(path: string, ask: Ask = {}): Promise<unknown> {
    return this.#parse(await this.ask(path, ask));
  }

  /** All pages of a list, up to `limit` items. */
  async list(
    path: string,
    limit: number,
    ask: Ask = {},
    itemsOf: (page: unknown) => readonly Loose[] = objects,
  ): Promise<{ readonly items: readonly Loose[]; readonly isCut: boolean; readonly first: Loose }> {
    const items: Loose[] = [];
    let first: Loose = {};
    let next: string | undefined = path;
    let query = { ...ask.query, per_page: Math.min(PAGE, limit) } as Ask['query'];
    for (let page = 0; next !== undefined && items.length < limit && page < 50; page++) {
      const answer: Answer = await this.ask(next, { ...ask, ...(query && { query }) });
      const content = this.#parse(answer);
      if (page === 0) first = object(content);
      items.push(...itemsOf(content));
      next = this.#nextPage(answer.link);
      query = undefined;
    }
    return { items: items.slice(0, limit), isCut: next !== undefined || items.length > limit, first };
  }

  /** A question of GraphQL; its errors are errors. */
  async graphql(
    url: string,
    query: string,
    variables: Readonly<Record<string, unknown>>,
    what: string,
  ): Promise<Loose> {
    const content = object(await this.json(url, { method: 'POST', body: { query, variables }, what }));
    const [problem] = objects(content['errors']);
    if (!problem) return object(content['data']);
    const reason = plainLine(text(problem['message']));
    if (text(problem['type']) === 'NOT_FOUND') throw this.#notFound(what);
    throw this.#error('GITHUB_REFUSED', { reason: reason || 'it gives no reason' });
  }

  /** Asks; waits where a limit makes it wait. Whatever is no good answer is an error that says what to do. */
  async ask(path: string, ask: Ask = {}): Promise<Answer> {
    const url = this.#urlOf(path, ask.query);
    const { method = 'GET' } = ask;
    if (method !== 'GET' && !this.hasToken) throw this.#noToken();
    const key = method === 'GET' ? this.#keyOf(url, ask.accept) : undefined;
    const cached = key === undefined ? undefined : this.#options.cache.get(key);
    for (let attempt = 1; ; attempt++) {
      const raw = await this.#follow(url, ask, cached?.etag);
      if (raw.status === 304 && cached) return { body: cached.body, link: cached.link, status: 200 };
      if (raw.status >= 200 && raw.status < 300) {
        const link = raw.header('link');
        const etag = raw.header('etag');
        if (key !== undefined && etag !== '') this.#options.cache.put(key, { etag, body: raw.body, link });
        return { body: raw.body, link, status: raw.status };
      }
      const waitMs = this.#waitFor(raw, method, attempt);
      if (waitMs === undefined) throw this.#refusal(raw, ask.what ?? plainLine(url.pathname));
      if (waitMs > 1000) this.#options.onWait?.(Math.ceil(waitMs / 1000));
      await sleep(waitMs, undefined, { signal: this.#options.signal });
    }
  }

  /** How long to wait before asking again; undefined when that would not help. */
  #waitFor(raw: Raw, method: string, attempt: number): number | undefined {
    const limit = limitIn(raw, Date.now());
    if (limit) {
      const { seconds, kind } = limit;
      if (attempt <= MAX_RETRIES && seconds * 1000 <= this.#options.maxWaitMs) return seconds * 1000;
      const until = new Date(Date.now() + seconds * 1000).toISOString().slice(11, 19);
      const from = this.hasToken ? '' : ' (there is no token, so it is low)';
      throw this.#error('GITHUB_RATE_LIMIT', { kind, seconds, until: `${until} UTC`, from });
    }
    // What changes something may have been done although the answer is an error.
    return raw.status >= 500 && method === 'GET' && attempt < MAX_RETRIES ? attempt * 500 : undefined;
  }

  async #follow(start: URL, ask: Ask, etag: string | undefined): Promise<Raw> {
    let url = start;
    const { method = 'GET' } = ask;
    for (let hops = 0; ; hops++) {
      const raw = await this.#once(url, ask, etag);
      if (![301, 302, 303, 307, 308].includes(raw.status)) return raw;
      const location = raw.header('location');
      const keepsMethod = raw.status === 307 || raw.status === 308;
      const refuse = (reason: string) =>
        this.#error('GITHUB_REDIRECT', { to: plainLine(location).slice(0, 200) || 'nowhere', reason });
      if (hops >= MAX_REDIRECTS || !URL.canParse(location, url.href)) throw refuse('it leads nowhere');
      const to = new URL(location, url);
      const isOwn = to.origin === new URL(this.#options.api).origin;
      if (method !== 'GET' && !(isOwn && keepsMethod)) throw refuse('what is sent must reach the one it was meant for');
      if (to.protocol !== 'https:' && to.protocol !== url.protocol)
        throw refuse('it would leave the encrypted connection');
      if (!isOwn && isPrivateHost(to.hostname) && !isPrivateHost(start.hostname))
        throw refuse('it is a private address');
      url = to;
    }
  }

  async #once(
    url: URL,
    { method = 'GET', body, accept, maxBytes = MAX_BYTES }: Ask,
    etag: string | undefined,
  ): Promise<Raw> {
    const { api, token, timeoutMs, signal, userAgent } = this.#options;
    // A redirect may lead anywhere; the token goes to the API and to nobody else.
    const isOwn = url.origin === new URL(api).origin;
    const { request } = await import('./transport.ts');
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await request(url, {
        method,
        dispatcher: await this.#options.dispatcher(),
        headers: {
          'user-agent': userAgent,
          accept: accept ?? 'application/json',
          'accept-encoding': 'identity',
          ...(isOwn && { 'x-github-api-version': '2022-11-28', ...token?.headers }),
          ...(isOwn && etag !== undefined && { 'if-none-match': etag }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, timeout]),
      });
      const text = await readUpTo(answer.body, maxBytes, () =>
        this.#error('GITHUB_TOO_LARGE', { limit: byteText(maxBytes) }),
      );
      const header = (name: string) => {
        const value = answer.headers[name];
        return Array.isArray(value) ? value.join(', ') : (value ?? '');
      };
      return { status: answer.statusCode, url, body: text, header };
    } catch (fault) {
      signal.throwIfAborted();
      if (fault instanceof TenonError) throw fault;
      const late = timeout.aborted ? `no answer within ${timeoutMs / 1000} seconds` : undefined;
      throw this.#error('GITHUB_UNREACHABLE', { reason: late ?? (this.#masked(messageOf(fault)) || 'no connection') });
    }
  }

  #urlOf(path: string, query: Ask['query'] = {}): URL {
    const { api } = this.#options;
    const url = new URL(/^https?:\/\//.test(path) ? path : `${api}${path}`);
    if (url.origin !== new URL(api).origin) {
      throw this.#error('GITHUB_REDIRECT', { to: plainLine(url.origin), reason: 'it is another server' });
    }
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  #nextPage(link: string): string | undefined {
    const next = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link)?.[1];
    if (next === undefined || !URL.canParse(next, this.#options.api)) return undefined;
    const url = new URL(next, this.#options.api);
    return url.origin === new URL(this.#options.api).origin ? url.href : undefined;
  }

  /** What one token may see is no answer for another. */
  #keyOf(url: URL, accept = ''): string {
    const token = this.#options.token?.value ?? '';
    return `${createHash('sha256').update(token).digest('hex').slice(0, 16)} ${accept} ${url.href}`;
  }

  #parse({ body }: Answer): unknown {
    if (body.trim() === '') return {};
    try {
      return JSON.parse(body) as unknown;
    } catch {
      // The text of the fault holds a part of the answer, which says no more than this.
      throw this.#error('GITHUB_ANSWER', { reason: 'it is no JSON', forge: this.#options.forge });
    }
  }

  #refusal({ status, body, header }: Raw, what: string): TenonError {
    const reason = this.#masked(reasonIn(body)) || `it answers ${status}`;
    if (status === 401) {
      return this.hasToken
        ? this.#error('GITHUB_TOKEN_REFUSED', { reason, ways: this.#options.ways })
        : this.#noToken();
    }
    if (status === 404 || status === 410) return this.#notFound(what, status === 410 ? reason : undefined);
    if (status >= 500)
      return this.#error('GITHUB_SERVER', { status, reason: reason === '' ? '' : ` It says: ${reason}` });
    const sso = header('x-github-sso');
    const where = /url=(https:\/\/\S+)/.exec(sso)?.[1];
    if (status === 403 || status === 451)
      return this.#error('GITHUB_FORBIDDEN', { reason, sso: where === undefined ? '' : ` (${plainLine(where)})` });
    return this.#error('GITHUB_REFUSED', { reason });
  }

  #notFound(what: string, reason?: string): TenonError {
    return this.#error('GITHUB_NOT_FOUND', { what: reason === undefined ? what : `${what} (${reason})` });
  }

  #noToken(): TenonError {
    return this.#error('GITHUB_NO_TOKEN', { ways: this.#options.ways });
  }

  #error(code: Parameters<typeof errors.create>[0], details: Readonly<Record<string, unknown>>): TenonError {
    const { host, token } = this.#options;
    return errors.create(code, { host, from: token === undefined ? 'there is none' : token.from, ...details });
  }

  /** No text of a server or a library may give the token away. */
  #masked(text: string): string {
    const value = this.#options.token?.value ?? '';
    return plainLine(value === '' ? text : text.replaceAll(value, '***')).slice(0, 500);
  }
}

async function readUpTo(stream: AsyncIterable<Uint8Array>, maxBytes: number, tooLarge: () => Error): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What a server says about its refusal: its message, and what is wrong with which field. */
function reasonIn(body: string): string {
  let content: Loose;
  try {
    content = object(JSON.parse(body));
  } catch {
    return ''; // A page for people: it says nothing that helps.
  }
  const said = content['message'] ?? content['error'] ?? content['error_description'];
  const message = typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said);
  const list = Array.isArray(content['errors']) ? content['errors'] : [];
  const wrong = list.map((one) => {
    if (typeof one === 'string') return one;
    const { message: why, field, code } = object(one);
    return text(why) || [text(field), text(code)].filter(Boolean).join(' ');
  });
  return [message, ...wrong].filter(Boolean).join('; ').replace(/\.$/, '');
}
