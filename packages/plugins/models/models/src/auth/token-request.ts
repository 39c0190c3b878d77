/** Requests to the token address of an OAuth server. */
import type { StoredCredential } from '../api.ts';
import { OAuthRefusal } from './login-refusal.ts';

type OAuthCredential = Extract<StoredCredential, { kind: 'oauth' }>;

const EXCHANGE_MS = 30_000;

/** The answer of a server, and what it said was wrong. */
export interface TokenAnswer {
  readonly answer: Readonly<Record<string, unknown>>;
  readonly refusal?: OAuthRefusal;
}

/** Sends a form, or JSON as text. */
export async function send(
  url: string,
  fields: Readonly<Record<string, string>> | string,
  signal?: AbortSignal,
): Promise<TokenAnswer> {
  const isText = typeof fields === 'string';
  const timeout = AbortSignal.timeout(EXCHANGE_MS);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': isText ? 'application/json' : 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: isText ? fields : new URLSearchParams(fields).toString(),
    redirect: 'error', // A token request that is sent elsewhere would show the code to someone else.
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  const answer = await jsonIn(response);
  // GitHub tells errors with status 200.
  if (response.ok && typeof answer['error'] !== 'string') return { answer };
  return { answer, refusal: refusalIn(response, answer) };
}

function refusalIn(response: Response, answer: Readonly<Record<string, unknown>>): OAuthRefusal {
  const { error } = answer;
  const said = answer['error_description'] ?? error ?? response.statusText;
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  return new OAuthRefusal(typeof error === 'string' ? error : '', response.ok ? text : `${response.status} ${text}`);
}

/** The object in an answer that has to be JSON. */
export async function jsonIn(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (fault) {
    throw new Error(`the answer (${response.status}) is not JSON`, { cause: fault });
  }
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The answer of a request that must succeed. */
export async function post(
  url: string,
  fields: Readonly<Record<string, string>> | string,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { answer, refusal } = await send(url, fields, signal);
  if (refusal) throw refusal;
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
