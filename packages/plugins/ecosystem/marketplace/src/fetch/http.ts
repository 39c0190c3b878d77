/** Fetches files, bounded in size and time. Every redirect is judged like the first address. */
import { messageOf, TenonError } from '@tenon/kernel';
import { checkUrl, type SourceRules } from '../catalogue/sources.ts';
import { errors } from '../errors.ts';

/** One request. */
export interface Download {
  readonly url: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly reach: SourceRules['reach'];
  /** Headers for an address, asked again for each redirect, so that no token goes to a stranger. */
  readonly headers?: (url: string) => Readonly<Record<string, string>>;
}

const MAX_REDIRECTS = 5;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Node's own fetch knows no proxies. */
async function fetchFor(): Promise<Fetch> {
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];
  if (!names.some((name) => process.env[name])) return fetch;
  const { EnvHttpProxyAgent, fetch: proxied } = await import('./undici.ts');
  const dispatcher = new EnvHttpProxyAgent();
  return (url, init) => proxied(url, { ...init, dispatcher } as never) as unknown as Promise<Response>;
}

/** What is at an address; nothing when there is nothing (404, 410). */
export async function download(request: Download): Promise<Buffer | undefined> {
  const { url, signal, timeoutMs } = request;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await follow(request, await fetchFor(), limit);
  } catch (fault) {
    signal.throwIfAborted();
    if (fault instanceof TenonError) throw fault;
    const reason = limit.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(fault);
    throw errors.create('MARKETPLACE_FETCH_FAILED', { url, reason }, fault);
  }
}

/** The same, where nothing is an error too. */
export async function requireDownload(request: Download): Promise<Buffer> {
  const response = await download(request);
  if (response === undefined)
    throw errors.create('MARKETPLACE_FETCH_FAILED', { url: request.url, reason: 'it is not there' });
  return response;
}

async function follow({ url, maxBytes, reach, headers }: Download, send: Fetch, signal: AbortSignal) {
  let address = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    checkUrl(address, { reach });
    const requestHeaders = { accept: '*/*', 'accept-encoding': 'identity', ...headers?.(address) };
    const response = await send(address, { redirect: 'manual', signal, headers: requestHeaders });
    const { status } = response;
    const location = response.headers.get('location');
    if (status >= 300 && status < 400 && location !== null) {
      await response.body?.cancel();
      address = new URL(location, address).href;
      continue;
    }
    if (status === 404 || status === 410) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the server answered ${status}`);
    }
    return body(response, maxBytes);
  }
  throw new Error(`it was redirected more than ${MAX_REDIRECTS} times`);
}

async function body(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`it is larger than ${Math.floor(maxBytes / 1024)} kB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Node hides why a connection failed in the cause. */
function reasonOf(fault: unknown): string {
  const cause = fault instanceof Error ? fault.cause : undefined;
  return cause === undefined ? messageOf(fault) : messageOf(cause) || messageOf(fault);
}
