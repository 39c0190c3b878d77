/** Who may talk to the server: a web page of somebody else, another user of this machine, or a guess must not get anywhere. */
import type { Context, MiddlewareHandler } from 'hono';
import { isSame } from './token.ts';

/** Failed tokens of one address within a minute, after which it has to wait. */
const MAX_FAILURES = 20;
const MINUTE = 60_000;
const MAX_ADDRESSES = 1_000;

/** Only the page's own files run and load, and nobody frames it. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the guards know. */
export interface GuardOptions {
  /** The token as it is now. Nothing is the same as an empty one. */
  token(): string;
  /** `host:port` as browsers write it, in lower case. */
  hosts(): ReadonlySet<string>;
  readonly scheme: 'http' | 'https';
  /** The address of whoever asks. */
  addressOf(context: Context): string;
  /** Whoever asks has shown the token. */
  admit?(context: Context): void;
  now?(): number;
}

/** Headers of every answer. */
export const safeHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  headers.set('content-security-policy', CONTENT_POLICY);
  headers.set('x-content-type-options', 'nosniff');
  headers.set('x-frame-options', 'DENY');
  headers.set('referrer-policy', 'no-referrer');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-resource-policy', 'same-origin');
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
};

/** A name that leads here by trickery (DNS rebinding), or a page from elsewhere, is refused before anything is looked at. */
export function ownSite({ hosts, scheme }: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header('host')?.toLowerCase();
    if (host === undefined || !hosts().has(host))
      return refuse(context, 421, 'WEB_HOST', 'This server does not answer to that name.');
    const origin = context.req.header('origin');
    const site = context.req.header('sec-fetch-site');
    const isOwn = origin === undefined || [...hosts()].some((name) => origin.toLowerCase() === `${scheme}://${name}`);
    // A link that a person follows comes from anywhere; what a page of somebody else sends does not count.
    const isForeign = site === 'cross-site' || site === 'same-site';
    const isLink = context.req.method === 'GET' && context.req.header('sec-fetch-mode') === 'navigate';
    if (!isOwn || (isForeign && !isLink))
      return refuse(context, 403, 'WEB_ORIGIN', 'Pages of other sites may not use this server.');
    return next();
  };
}

/** Nothing here is asked for in other ways. A HEAD of a stream would open one that nobody ever closes. */
export const plainMethods: MiddlewareHandler = async (context, next) => {
  const { method, path } = context.req;
  if (method === 'GET' || method === 'POST' || (method === 'HEAD' && !path.startsWith('/api/'))) return next();
  context.header('allow', 'GET, POST');
  return refuse(context, 405, 'WEB_METHOD', 'Only GET and POST are answered here.');
};

/** The token that a request carries. */
export function tokenOf(context: Context): string | undefined {
  return /^Bearer (\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
}

/** Only those with the token. */
export function withToken({ token, addressOf, admit, now = Date.now }: GuardOptions): MiddlewareHandler {
  const failures = new Map<string, { count: number; since: number }>();
  return async (context, next) => {
    const given = tokenOf(context);
    if (given !== undefined && isSame(given, token())) {
      admit?.(context);
      return next();
    }
    const address = addressOf(context);
    const known = failures.get(address);
    const entry = known && now() - known.since < MINUTE ? known : { count: 0, since: now() };
    entry.count += 1;
    if (failures.size >= MAX_ADDRESSES) failures.clear();
    failures.set(address, entry);
    if (entry.count > MAX_FAILURES) {
      context.header('retry-after', String(Math.ceil((entry.since + MINUTE - now()) / 1_000)));
      return refuse(context, 429, 'WEB_TOO_MANY_FAILURES', 'Too many wrong tokens. Wait a minute.');
    }
    context.header('www-authenticate', 'Bearer');
    return refuse(context, 401, 'WEB_TOKEN', 'The token is missing or wrong. Open the link that `tenon web` prints.');
  };
}

function refuse(context: Context, status: 401 | 403 | 405 | 421 | 429, code: string, message: string): Response {
  return context.json({ error: { code, message } }, status);
}
