/** Logging in with the browser: OAuth 2 with PKCE over a loopback address (RFC 8252), and refreshing what it gave. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '@tenon/kernel';
import type { OAuthSpec, StoredCredential } from '../api.ts';
import { errors } from '../errors.ts';
import { credentialIn, post } from './token-request.ts';

type OAuthCredential = Extract<StoredCredential, { kind: 'oauth' }>;

const LOGIN_MS = 5 * 60_000;

/** A token that ends within this time is renewed before it is used. */
export const RENEW_BEFORE_MS = 60_000;

/** How a login is made. */
export interface LoginOptions {
  /** Gets the address that the user has to open, and the code to enter there, if there is one. */
  show(url: string, code?: string): Promise<void>;
  readonly signal: AbortSignal;
}

/** Runs the whole login. */
export async function login(provider: string, spec: OAuthSpec, options: LoginOptions): Promise<StoredCredential> {
  return spec.style === 'device' ? loginWithCode(provider, spec, options) : loginInBrowser(provider, spec, options);
}

async function loginWithCode(
  provider: string,
  spec: OAuthSpec,
  { show, signal }: LoginOptions,
): Promise<StoredCredential> {
  const { deviceLogin } = await import('./device-login.ts');
  try {
    return await deviceLogin(spec, { show: ({ url, code }) => show(url, code), signal });
  } catch (fault) {
    signal.throwIfAborted();
    throw errors.create('MODELS_LOGIN_FAILED', { provider, reason: messageOf(fault) }, fault);
  }
}

async function loginInBrowser(provider: string, spec: OAuthSpec, options: LoginOptions): Promise<StoredCredential> {
  const verifier = randomBytes(48).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const state = randomBytes(24).toString('base64url');
  const listener = await listen(spec, state);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(LOGIN_MS)]);
  try {
    await options.show(authorizeUrl(spec, { redirect: listener.redirect, challenge, state }));
    const code = await listener.code(signal);
    const fields = { code, verifier, redirect: listener.redirect };
    return spec.style === 'key'
      ? await exchangeForKey(spec, fields)
      : await requestToken(spec, {
          grant_type: 'authorization_code',
          code,
          redirect_uri: listener.redirect,
          code_verifier: verifier,
        });
  } catch (fault) {
    options.signal.throwIfAborted();
    const reason = signal.aborted ? 'no answer came from the browser within five minutes' : messageOf(fault);
    throw errors.create('MODELS_LOGIN_FAILED', { provider, reason }, fault);
  } finally {
    listener.close();
  }
}

/** Renews a token. The answer may leave out the refresh token, which then stays the same. */
export async function refresh(
  provider: string,
  spec: OAuthSpec,
  credential: OAuthCredential,
): Promise<OAuthCredential> {
  if (credential.refresh === undefined)
    throw errors.create('MODELS_LOGIN_EXPIRED', { provider, reason: 'it cannot be renewed' });
  try {
    const renewed = await requestToken(spec, { grant_type: 'refresh_token', refresh_token: credential.refresh });
    return { ...renewed, refresh: renewed.refresh ?? credential.refresh };
  } catch (fault) {
    throw errors.create('MODELS_LOGIN_EXPIRED', { provider, reason: messageOf(fault) }, fault);
  }
}

function authorizeUrl(spec: OAuthSpec, fields: { redirect: string; challenge: string; state: string }): string {
  const url = new URL(spec.authorizeUrl);
  const set = (name: string, value: string | undefined) => value !== undefined && url.searchParams.set(name, value);
  for (const [name, value] of Object.entries(spec.parameters ?? {})) set(name, value);
  set('code_challenge', fields.challenge);
  set('code_challenge_method', 'S256');
  if (spec.style === 'key') {
    // This flow gives back what is in the callback address, so the state travels there.
    const callback = new URL(fields.redirect);
    callback.searchParams.set('state', fields.state);
    set('callback_url', callback.href);
    return url.href;
  }
  set('response_type', 'code');
  set('client_id', spec.clientId);
  set('redirect_uri', fields.redirect);
  set('scope', spec.scopes?.join(' '));
  set('state', fields.state);
  return url.href;
}

/** Waits on loopback for the browser to come back with the code. */
async function listen(spec: OAuthSpec, state: string) {
  const path = spec.callbackPath ?? '/callback';
  let settle: { resolve(code: string): void; reject(fault: Error): void } | undefined;
  const result = new Promise<string>((resolve, reject) => (settle = { resolve, reject }));
  result.catch(() => undefined); // Reported to the caller of code(); an early refusal must not crash the process.
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || url.pathname !== path) return void response.writeHead(404).end();
    const answeredState = url.searchParams.get('state') ?? '';
    // Anyone on this machine can call this address; only the browser that was sent away knows the state.
    if (!same(answeredState, state)) return void response.writeHead(400).end('This login was not started here.');
    const code = url.searchParams.get('code');
    const problem = url.searchParams.get('error_description') ?? url.searchParams.get('error');
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(
      code ? 'You are logged in. This page can be closed.' : `The login did not succeed: ${problem ?? 'no code'}`,
    );
    if (code) settle?.resolve(code);
    else settle?.reject(new Error(problem ?? 'the answer has no code'));
  });
  server.listen(spec.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    redirect: `http://127.0.0.1:${port}${path}`,
    code: (signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        const onAbort = () => reject(signal.reason as Error);
        if (signal.aborted) onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
      }),
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

async function requestToken(spec: OAuthSpec, fields: Record<string, string>): Promise<OAuthCredential> {
  return credentialIn(
    await post(spec.tokenUrl, { ...fields, ...(spec.clientId !== undefined && { client_id: spec.clientId }) }),
  );
}

async function exchangeForKey(
  spec: OAuthSpec,
  { code, verifier }: { code: string; verifier: string },
): Promise<StoredCredential> {
  const { key } = await post(
    spec.tokenUrl,
    JSON.stringify({ code, code_verifier: verifier, code_challenge_method: 'S256' }),
  );
  if (typeof key !== 'string') throw new Error('the answer has no key');
  return { kind: 'api-key', key };
}
