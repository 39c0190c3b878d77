/** Waits on this machine's own address for the browser to come back from a login (RFC 8252). */
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where the browser comes back to. */
export interface Callback {
  readonly redirectUrl: string;
  /** The parameters that it came back with, once they are those of the login that `state` belongs to. */
  wait(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

const BASE = 'http://127.0.0.1';

/** Begins to listen. */
export async function openCallback(options: {
  readonly port?: number;
  readonly path?: string;
  readonly redirectUri?: string;
}): Promise<Callback> {
  const { path = '/callback' } = options;
  let expected: string | undefined;
  let settle: ((found: URLSearchParams) => void) | undefined;
  const server = createServer((request, response) => {
    // Any page and program can send anything, also what is no address.
    const url = URL.canParse(request.url ?? '', BASE) ? new URL(request.url ?? '', BASE) : undefined;
    if (request.method !== 'GET' || url?.pathname !== path) return void response.writeHead(404).end();
    // Anyone on this machine can call this address; only the browser that was sent away knows the state.
    if (expected === undefined || !same(url.searchParams.get('state') ?? '', expected)) {
      return void response.writeHead(400).end('This login was not started here.');
    }
    const isGranted = url.searchParams.has('code');
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(
      isGranted ? 'You are logged in. This page can be closed.' : 'The login did not succeed. See your terminal.',
    );
    settle?.(url.searchParams);
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const came = new Promise<URLSearchParams>((resolve) => (settle = resolve));
  return {
    redirectUrl: options.redirectUri ?? `http://127.0.0.1:${port}${path}`,
    async wait(state, signal) {
      expected = state;
      signal.throwIfAborted();
      let stop: (() => void) | undefined;
      const stopped = new Promise<never>((_, reject) => (stop = () => reject(signal.reason as Error)));
      signal.addEventListener('abort', stop as () => void, { once: true });
      try {
        return await Promise.race([came, stopped]);
      } finally {
        signal.removeEventListener('abort', stop as () => void);
      }
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
