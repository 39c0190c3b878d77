/** One request and its answer: redirects, compression, stalls and aborts are taken care of. */
import type { Readable } from 'node:stream';
import { connect, type Outgoing, type Reply } from './connection.ts';
import { Incoming, stalled } from './incoming.ts';

/** An answer whose head has come. */
export interface Exchange {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Record<string, string>;
  readonly incoming: Incoming;
  /** Ends the exchange. After a whole answer its connection can be used again. */
  end(isWhole: boolean): void;
}

const MAX_REDIRECTS = 5;
/** Headers that go along to another host. The others may carry keys. */
const HARMLESS: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'content-type', 'user-agent']);

/** Sends a request. Rejects when nobody answers, when nothing comes for `stallMs`, or with the signal's reason. */
export async function exchange(
  outgoing: Outgoing,
  { signal, stallMs }: { readonly signal: AbortSignal; readonly stallMs: number },
): Promise<Exchange> {
  signal.throwIfAborted();
  // Follows the caller's signal by hand: `AbortSignal.any` costs several times as much, for every request.
  const watchdog = new AbortController();
  let incoming: Incoming | undefined;
  const follow = () => (incoming ? incoming.fail(signal.reason as Error) : watchdog.abort(signal.reason));
  signal.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => watchdog.abort(stalled(stallMs)), stallMs);
  try {
    const reply = await redirected(outgoing, watchdog.signal);
    const { status, statusText, headers } = reply;
    const body = new Incoming(await decoded(reply), stallMs, reply.holding);
    incoming = body;
    const end = (isWhole: boolean) => {
      signal.removeEventListener('abort', follow);
      body.leave(isWhole);
    };
    if (signal.aborted) follow();
    return { status, statusText, headers, incoming: body, end };
  } catch (fault) {
    signal.removeEventListener('abort', follow);
    throw fault;
  } finally {
    clearTimeout(timer);
  }
}

/** Only redirects that keep the method: a request that has become a GET is no request for an answer. */
async function redirected(first: Outgoing, signal: AbortSignal): Promise<Reply> {
  let outgoing = first;
  for (let redirects = 0; ; redirects++) {
    const reply = await connect(outgoing, signal);
    const { location } = reply.headers;
    const isRedirect = (reply.status === 307 || reply.status === 308) && location !== undefined;
    if (!isRedirect || redirects === MAX_REDIRECTS || !URL.canParse(location, outgoing.url.href)) return reply;
    reply.body.resume();
    const url = new URL(location, outgoing.url);
    outgoing = { ...outgoing, url, headers: isSameServer(outgoing.url, url) ? outgoing.headers : harmless(outgoing) };
  }
}

/** True for the same origin, and for its encrypted one. */
function isSameServer(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  return from.hostname === to.hostname && to.protocol === 'https:' && from.port === '' && to.port === '';
}

function harmless({ headers }: Outgoing): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.has(name)));
}

/** The body as it was before its compression. None is asked for, but some gateways compress all the same. */
async function decoded({ headers, body }: Reply): Promise<Readable> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (!/^(?:x-)?gzip$|^deflate$|^br$/.test(encoding)) return body;
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  const { pipeline } = await import('node:stream');
  const decoder =
    encoding === 'br'
      ? createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
      : createUnzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH });
  // A fault reaches the reader through the decoder, which the pipeline destroys with it.
  return pipeline(body, decoder, () => undefined);
}
