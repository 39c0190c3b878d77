/** Logging in with a code that the user enters in any browser: OAuth's device flow (RFC 8628). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OAuthSpec, StoredCredential } from '../api.ts';
import { credentialIn, send } from './token-request.ts';

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
  const client = spec.clientId === undefined ? {} : { client_id: spec.clientId };
  const scope = spec.scopes ? { scope: spec.scopes.join(' ') } : {};
  const { answer } = await send(spec.authorizeUrl, { ...client, ...scope, ...spec.parameters });
  const request = requestIn(answer);
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
    const { answer: token, said } = await send(spec.tokenUrl, fields);
    const error = typeof token['error'] === 'string' ? token['error'] : undefined;
    if (error === undefined && said === undefined) return credentialIn(token);
    if (error === 'slow_down') interval = seconds(token['interval']) ?? interval + SLOWER_SECONDS;
    else if (error !== 'authorization_pending') throw new Error(said ?? error);
  }
  throw new Error('the code was not entered in time');
}

function requestIn(answer: Readonly<Record<string, unknown>>) {
  const { device_code: deviceCode, user_code: userCode, verification_uri_complete: whole } = answer;
  const url = whole ?? answer['verification_uri'] ?? answer['verification_url'];
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof url !== 'string')
    throw new Error('the answer has no code');
  // It is shown to the user as the place to log in.
  if (!/^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(url)) throw new Error(`"${url}" is no safe address`);
  const interval = seconds(answer['interval']) ?? INTERVAL_SECONDS;
  return { deviceCode, userCode, url, interval, expires: seconds(answer['expires_in']) ?? EXPIRES_SECONDS };
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
