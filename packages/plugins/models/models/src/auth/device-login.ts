/** Logging in with a code that the user enters in any browser: OAuth's device flow (RFC 8628). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OAuthSpec, StoredCredential } from '../api.ts';
import { clientFields } from './client.ts';
import { OAuthRefusal } from './login-refusal.ts';
import { credentialIn, post, send } from './token-request.ts';

const INTERVAL_SECONDS = 5;
/** By how much the server wants the pause to grow when it says `slow_down`. */
const SLOWER_SECONDS = 5;
const EXPIRES_SECONDS = 900;

/** What the user has to do. */
export interface DeviceRequest {
  readonly url: string;
  readonly code: string;
}

/** Asks for a code, shows it, and waits until the user has entered it. */
export async function deviceLogin(
  spec: OAuthSpec,
  options: { show(request: DeviceRequest): Promise<void>; signal: AbortSignal; secondMs?: number },
): Promise<StoredCredential> {
  const { signal, secondMs = 1000 } = options;
  const client = clientFields(spec);
  const scope = spec.scopes ? { scope: spec.scopes.join(' ') } : {};
  const request = requestIn(await post(spec.authorizeUrl, { ...client, ...scope, ...spec.parameters }, signal));
  await options.show({ url: request.url, code: request.userCode });
  const fields = {
    ...client,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: request.deviceCode,
  };
  let interval = request.interval;
  for (let waited = 0; waited < request.expires;) {
    await sleep(interval * secondMs, undefined, { signal });
    waited += interval;
    const { answer, refusal } = await send(spec.tokenUrl, fields, signal);
    if (!refusal) return credentialIn(answer);
    if (refusal.error === 'slow_down') interval = seconds(answer['interval']) ?? interval + SLOWER_SECONDS;
    else if (refusal.error !== 'authorization_pending') throw refusal;
  }
  throw new OAuthRefusal('expired_token', 'the code was not entered in time');
}

function requestIn(answer: Readonly<Record<string, unknown>>) {
  const { device_code: deviceCode, user_code: userCode, verification_uri_complete: whole } = answer;
  const url = whole ?? answer['verification_uri'] ?? answer['verification_url'];
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof url !== 'string')
    throw new Error('the answer has no code');
  // It is shown to the user as the place to log in.
  if (!/^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(url))
    throw new Error(`"${url}" is not a safe address`);
  const interval = seconds(answer['interval']) ?? INTERVAL_SECONDS;
  return { deviceCode, userCode, url, interval, expires: seconds(answer['expires_in']) ?? EXPIRES_SECONDS };
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
