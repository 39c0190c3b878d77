/** The key that a login's tokens are bound to (DPoP, RFC 9449): whoever steals a token cannot sign the requests that it is for. */
import { createHash, webcrypto } from 'node:crypto';
import type { DpopSession } from '@modelcontextprotocol/client';
import type { LoginStore } from './login-store.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** A key for as long as this process runs: for tokens that are kept no longer. */
export async function freshKey(): Promise<DpopSession> {
  const { DpopSession: Session } = await import('@modelcontextprotocol/client');
  return Session.create();
}

/** The key that is kept with a login, for the tokens that are kept there; it is made when there is none. */
export async function keptKey(store: LoginStore): Promise<DpopSession> {
  const { DpopSession: Session } = await import('@modelcontextprotocol/client');
  if ((await store.read()).boundKey === undefined) {
    const { privateKey } = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const made = await webcrypto.subtle.exportKey('jwk', privateKey);
    // Another process may have been quicker.
    await store.change((login) => ({ boundKey: made, ...login }));
  }
  const { kty, crv, x, y, d } = (await store.read()).boundKey ?? {};
  const publicJwk = { kty, crv, x, y } as Record<string, string>;
  // In the order of the alphabet, as RFC 7638 says.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const load = (jwk: object, use: 'sign' | 'verify') =>
    webcrypto.subtle.importKey('jwk', jwk, ALGORITHM, use === 'verify', [use]);
  const [privateKey, publicKey] = await Promise.all([load({ ...publicJwk, d }, 'sign'), load(publicJwk, 'verify')]);
  const keyPair = { privateKey, publicKey, publicJwk, thumbprint, alg: 'ES256' };
  return Session.create({ keyPair: keyPair as never });
}
