/** What OAuth servers say when they refuse, as errors that say what to do. */
import { messageOf, TenonError } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import type { OAuthSpec } from '../api.ts';
import { errors } from '../errors.ts';

/** A refusal with the name that the protocol has for it. */
export class OAuthRefusal extends Error {
  readonly error: string;

  constructor(error: string, said: string) {
    super(said);
    this.error = error;
  }
}

/** The client itself is wrong, or may not do this. The last three are GitHub's. */
const ABOUT_THE_CLIENT = new Set([
  'invalid_client',
  'unauthorized_client',
  'redirect_uri_mismatch',
  'incorrect_client_credentials',
  'device_flow_disabled',
  'Not Found',
]);

/** What a failed login means to the user. */
export function loginFailure(
  fault: unknown,
  about: { readonly provider: string; readonly spec: OAuthSpec; readonly file: string },
): TenonError {
  if (fault instanceof TenonError) return fault;
  const { provider, spec, file } = about;
  // The server's words go to a terminal.
  const reason = plainLine(messageOf(fault)).replace(/\.$/, '');
  const error = fault instanceof OAuthRefusal ? fault.error : '';
  if (error === 'access_denied') return errors.create('MODELS_LOGIN_DENIED', { provider, reason }, fault);
  if (error === 'expired_token') return errors.create('MODELS_LOGIN_TOO_LATE', { provider }, fault);
  if (ABOUT_THE_CLIENT.has(error))
    return errors.create('MODELS_LOGIN_CLIENT', { provider, reason, file, register: atRegister(spec) }, fault);
  return errors.create('MODELS_LOGIN_FAILED', { provider, reason }, fault);
}

/** Where a client is registered, as a part of a sentence. */
export function atRegister({ register }: OAuthSpec): string {
  return register === undefined ? '' : ` at ${register}`;
}
