/** Logging in with the browser: OAuth 2 with PKCE over a loopback address (RFC 8252), and refreshing what it gave. */
import { createHash, randomBytes } from 'node:crypto';
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import type { OAuthSpec, StoredCredential } from '../api.ts';
import { errors } from '../errors.ts';
import { clientFields } from './client.ts';
import { listen, pastedCode } from './callback.ts';
import { loginFailure, OAuthRefusal } from './login-refusal.ts';
import { isNetworkFault, networkWords } from './network-fault.ts';
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
  /** Gives the address that the browser ended at, when it runs on another machine; else it comes back by itself. */
  paste?(): Promise<string>;
  /** Where the user can correct the client; for messages. */
  readonly file?: string;
}

/** Runs the whole login. */
export async function login(provider: string, spec: OAuthSpec, options: LoginOptions): Promise<StoredCredential> {
  const { signal, file = 'models.yml' } = options;
  try {
    const credential = await (spec.style === 'device' ? loginWithCode : loginInBrowser)(provider, spec, options);
    const { clientId } = spec;
    return credential.kind === 'oauth' && clientId !== undefined ? { ...credential, clientId } : credential;
  } catch (fault) {
    signal.throwIfAborted();
    throw loginFailure(fault, { provider, spec, file });
  }
}

async function loginWithCode(
  _provider: string,
  spec: OAuthSpec,
  { show, signal }: LoginOptions,
): Promise<StoredCredential> {
  const { deviceLogin } = await import('./device-login.ts');
  return deviceLogin(spec, { show: ({ url, code }) => show(url, code), signal });
}

async function loginInBrowser(provider: string, spec: OAuthSpec, options: LoginOptions): Promise<StoredCredential> {
  const verifier = randomBytes(48).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const state = randomBytes(24).toString('base64url');
  const { paste } = options;
  const listener = paste ? pastedCode(spec, state, paste) : await listen(provider, spec, state);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(LOGIN_MS)]);
  try {
    await options.show(authorizeUrl(spec, { redirect: listener.redirect, challenge, state }));
    const code = await listener.code(signal);
    return spec.style === 'key'
      ? await exchangeForKey(spec, { code, verifier, signal })
      : await requestToken(
          spec,
          { grant_type: 'authorization_code', code, redirect_uri: listener.redirect, code_verifier: verifier },
          signal,
        );
  } catch (fault) {
    throw signal.aborted && !options.signal.aborted
      ? new OAuthRefusal('expired_token', 'no answer came from the browser within five minutes')
      : fault;
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
    const { clientId } = credential;
    // Only the client that made the login can renew it.
    const client = clientId === undefined ? spec : { ...spec, clientId };
    const renewed = await requestToken(client, { grant_type: 'refresh_token', refresh_token: credential.refresh });
    return { ...renewed, refresh: renewed.refresh ?? credential.refresh, ...(clientId !== undefined && { clientId }) };
  } catch (fault) {
    // The server did not answer: the login may still be good.
    if (!(fault instanceof OAuthRefusal) && isNetworkFault(fault))
      throw errors.create('MODELS_UNREACHABLE', { provider, said: networkWords(fault), address: '' }, fault);
    throw errors.create('MODELS_LOGIN_EXPIRED', { provider, reason: plainLine(messageOf(fault)) }, fault);
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

async function requestToken(
  spec: OAuthSpec,
  fields: Record<string, string>,
  signal?: AbortSignal,
): Promise<OAuthCredential> {
  return credentialIn(await post(spec.tokenUrl, { ...fields, ...clientFields(spec) }, signal));
}

async function exchangeForKey(
  spec: OAuthSpec,
  { code, verifier, signal }: { code: string; verifier: string; signal: AbortSignal },
): Promise<StoredCredential> {
  const body = JSON.stringify({ code, code_verifier: verifier, code_challenge_method: 'S256' });
  const { key } = await post(spec.tokenUrl, body, signal);
  if (typeof key !== 'string') throw new Error('the answer has no key');
  return { kind: 'api-key', key };
}
