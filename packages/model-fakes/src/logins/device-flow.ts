import { randomBytes } from 'node:crypto';
import type { FakeAnswer, FakeRequest } from './http.ts';
import { LiveTokens } from './tokens.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** GitHub's flow with a code: every answer has status 200, also a refusal. */
export class DeviceFlow {
  readonly clientId: string;
  readonly access = new LiveTokens();
  /** What the user does with the code. */
  decision: 'approve' | 'deny' | 'never' = 'approve';
  /** How often the client has to ask until the user has decided. */
  pendingPolls = 2;
  /** Whether the app has the flow switched on. */
  enabled = true;
  intervalSeconds = 0.05;
  expiresSeconds = 5;
  /** What the client was answered, in order. */
  readonly polls: string[] = [];
  #device: { readonly code: string; readonly startedAt: number; lastPoll: number; count: number } | undefined;

  constructor(clientId: string) {
    this.clientId = clientId;
  }

  /** Gives a code. */
  start({ form, url }: FakeRequest): FakeAnswer {
    if (form.get('client_id') !== this.clientId) return { status: 404, body: { error: 'Not Found' } };
    if (!this.enabled)
      return {
        status: 200,
        body: { error: 'device_flow_disabled', error_description: 'Device Flow must be enabled.' },
      };
    const code = randomBytes(20).toString('hex');
    this.#device = { code, startedAt: Date.now(), lastPoll: Date.now(), count: 0 };
    const verification_uri = new URL('device', url).href;
    const body = { device_code: code, user_code: 'WDJB-MJHT', verification_uri };
    return { status: 200, body: { ...body, expires_in: this.expiresSeconds, interval: this.intervalSeconds } };
  }

  /** Says whether the user has entered the code. */
  token({ form }: FakeRequest): FakeAnswer {
    const body = this.#answer(form);
    this.polls.push(typeof body['error'] === 'string' ? body['error'] : 'token');
    return { status: 200, body };
  }

  #answer(form: URLSearchParams): Record<string, unknown> {
    const device = this.#device;
    if (form.get('client_id') !== this.clientId) return { error: 'incorrect_client_credentials' };
    if (form.get('grant_type') !== GRANT) return { error: 'unsupported_grant_type' };
    if (!device || form.get('device_code') !== device.code) return { error: 'incorrect_device_code' };
    const now = Date.now();
    if (now - device.startedAt > this.expiresSeconds * 1000) return { error: 'expired_token' };
    // A little earlier is a timer's inaccuracy.
    const isEarly = now - device.lastPoll < this.intervalSeconds * 1000 * 0.8;
    device.lastPoll = now;
    if (isEarly || device.count++ === 0) {
      this.intervalSeconds *= 2;
      return { error: 'slow_down', error_description: 'You are asking too often.', interval: this.intervalSeconds };
    }
    if (this.decision === 'never' || device.count <= this.pendingPolls) return { error: 'authorization_pending' };
    if (this.decision === 'deny') return { error: 'access_denied', error_description: 'The user has denied it.' };
    this.#device = undefined;
    return { access_token: this.access.issue('gho_'), token_type: 'bearer', scope: 'read:user' };
  }
}
