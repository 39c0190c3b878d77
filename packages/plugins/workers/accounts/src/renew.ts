/** Renews a login before it ends, as the CLI that made it would. */
import type { Login, LoginHome, RenewedToken } from './login-homes.ts';

/** A login that ends within this time is renewed first. */
const RENEW_BEFORE_MS = 5 * 60_000;
const REQUEST_MS = 30_000;

/** Whether a login has to be renewed before it is used. A login that does not say when it ends does not end. */
export function isEnding({ expiresAt }: Login, now = Date.now()): boolean {
  return expiresAt !== undefined && expiresAt < now + RENEW_BEFORE_MS;
}

/** Asks the vendor for a new token. Rejects with a reason for people. */
export async function renew(home: LoginHome, login: Login, signal: AbortSignal): Promise<RenewedToken> {
  if (login.refresh === undefined) throw new Error('it cannot be renewed');
  if (!home.renewal) throw new Error('only the CLI itself can renew it');
  const response = await fetch(home.renewal.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      grant_type: 'refresh_token',
      refresh_token: login.refresh,
      client_id: home.renewal.clientId,
    }),
    redirect: 'error', // A refresh token must not be sent elsewhere.
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
  });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const answer = (await response.json()) as Readonly<Record<string, unknown>>;
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = answer;
  if (typeof access !== 'string') throw new Error('the answer has no token');
  return {
    access,
    ...(typeof refresh === 'string' && { refresh }),
    ...(typeof seconds === 'number' && { expiresAt: Date.now() + seconds * 1000 }),
  };
}
