/** How the browser brings the code back: to a loopback address, or by hand. */
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '@tenon/kernel';
import type { OAuthSpec } from '../api.ts';
import { beforeAbort } from '../call/hang-up.ts';
import { errors } from '../errors.ts';
import { OAuthRefusal } from './login-refusal.ts';

/** The port in the address when nobody listens and any will do. */
const PASTED_PORT = 14_551;

/** Where the browser is sent, and the code that it brings. */
export interface Callback {
  readonly redirect: string;
  code(signal: AbortSignal): Promise<string>;
  close(): void;
}

const BASE = 'http://127.0.0.1';

/** Waits on loopback for the browser to come back with the code. */
export async function listen(provider: string, spec: OAuthSpec, state: string): Promise<Callback> {
  const path = spec.callbackPath ?? '/callback';
  let settle: { resolve(code: string): void; reject(fault: Error): void } | undefined;
  const result = new Promise<string>((resolve, reject) => (settle = { resolve, reject }));
  result.catch(() => undefined); // Reported to the caller of code(); an early refusal must not crash the process.
  const server = createServer((request, response) => {
    // Any page and program can send anything, also what is no address.
    const url = URL.canParse(request.url ?? '', BASE) ? new URL(request.url ?? '', BASE) : undefined;
    if (request.method !== 'GET' || url?.pathname !== path) return void response.writeHead(404).end();
    const answeredState = url.searchParams.get('state') ?? '';
    // Anyone on this machine can call this address; only the browser that was sent away knows the state.
    if (!same(answeredState, state)) return void response.writeHead(400).end('This login was not started here.');
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    try {
      settle?.resolve(codeIn(url));
      response.end('You are logged in. This page can be closed.');
    } catch (fault) {
      settle?.reject(fault as Error);
      response.end(`The login did not succeed: ${messageOf(fault)}`);
    }
  });
  server.listen(spec.port ?? 0, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw fault;
    throw errors.create('MODELS_LOGIN_PORT', { provider, port: spec.port }, fault);
  }
  const { port } = server.address() as AddressInfo;
  return {
    redirect: `http://${spec.callbackHost ?? '127.0.0.1'}:${port}${path}`,
    code: (signal) => beforeAbort(result, signal),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function same(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** For a browser on another machine: the user copies the address that it could not open. */
export function pastedCode(spec: OAuthSpec, state: string, paste: () => Promise<string>): Callback {
  const { callbackHost = '127.0.0.1', port = PASTED_PORT, callbackPath = '/callback' } = spec;
  const redirect = `http://${callbackHost}:${port}${callbackPath}`;
  return {
    redirect,
    async code(signal) {
      const text = (await beforeAbort(paste(), signal)).trim();
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (!url?.searchParams.has('state'))
        throw new Error('what was pasted is not the address that the browser ended at');
      if (!same(url.searchParams.get('state') ?? '', state))
        throw new Error('the pasted address belongs to another login');
      return codeIn(url);
    },
    close: () => undefined,
  };
}

function codeIn({ searchParams }: URL): string {
  const code = searchParams.get('code');
  if (code) return code;
  const error = searchParams.get('error') ?? '';
  throw new OAuthRefusal(error, searchParams.get('error_description') ?? (error || 'the answer has no code'));
}
