/** Requests to the token address of an OAuth server. */
import type { StoredCredential } from '../api.ts';

type OAuthCredential = Extract<StoredCredential, { kind: 'oauth' }>;

const EXCHANGE_MS = 30_000;

/** The answer of a server, and what it said was wrong. */
export interface TokenAnswer {
  readonly answer: Readonly<Record<string, unknown>>;
  readonly said?: string;
}

/** Sends a form, or JSON as text. */
export async function send(url: string, fields: Readonly<Record<string, string>> | string): Promise<TokenAnswer> {
  const isText = typeof fields === 'string';
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': isText ? 'application/json' : 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: isText ? fields : new URLSearchParams(fields).toString(),
    redirect: 'error', // A token request that is sent elsewhere would show the code to someone else.
    signal: AbortSignal.timeout(EXCHANGE_MS),
  });
  const text = await response.text();
  let answer: Record<string, unknown>;
  try {
    answer = JSON.parse(text) as Record<string, unknown>;
  } catch (fault) {
    throw new Error(`the answer (${response.status}) is not JSON`, { cause: fault });
  }
  if (response.ok) return { answer };
  const said = answer['error_description'] ?? answer['error'] ?? response.statusText;
  return { answer, said: `${response.status} ${typeof said === 'string' ? said : JSON.stringify(said)}` };
}

/** The answer of a request that must succeed. */
export async function post(
  url: string,
  fields: Readonly<Record<string, string>> | string,
): Promise<Readonly<Record<string, unknown>>> {
  const { answer, said } = await send(url, fields);
  if (said !== undefined) throw new Error(said);
  return answer;
}

/** The credential in an answer. */
export function credentialIn(answer: Readonly<Record<string, unknown>>): OAuthCredential {
  const { access_token: access, refresh_token: renew, expires_in: seconds } = answer;
  if (typeof access !== 'string') throw new Error('the answer has no token');
  return {
    kind: 'oauth',
    access,
    ...(typeof renew === 'string' && { refresh: renew }),
    ...(typeof seconds === 'number' && { expiresAt: Date.now() + seconds * 1000 }),
  };
}
