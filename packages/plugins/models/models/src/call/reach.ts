/** Where and with what one request goes: some endpoints exchange the key, or name another address. */
import { messageOf, TenonError } from '@tenon/kernel';
import type { Endpoint, Model, ModelRegistry, ModelRequest } from '../api.ts';
import type { Access } from '../auth/access.ts';
import type { ProviderFailure, StreamEvent } from '../stream.ts';
import { failed } from './guarded.ts';
import { beforeAbort } from './hang-up.ts';

/** What a key becomes for one request. */
export interface Reach {
  readonly model: Model;
  readonly apiKey: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Request = Parameters<ModelRegistry['stream']>[0];
type Terminal = Extract<StreamEvent, { type: 'done' | 'error' }>;

/** The reach that an access gives. What follows the address of the endpoint stays: protocols have paths of their own. */
export function reachWith(model: Model, endpoint: Endpoint, access: Access): Reach {
  const { apiKey, headers, baseUrl, quirks } = access;
  const own = endpoint.baseUrl;
  const isBelow = own !== undefined && model.baseUrl?.startsWith(own);
  const there = baseUrl !== undefined && isBelow ? { baseUrl: baseUrl + model.baseUrl?.slice(own.length) } : {};
  const called = { ...model, ...there, ...(quirks && { quirks: { ...model.quirks, ...quirks } }) };
  return { model: called, apiKey, ...(headers && { headers }) };
}

/** The request with its credentials, or the failure to get them. */
export async function withCredentials(
  reach: (model: Model, key: string) => Promise<Reach>,
  request: Request,
  key: string | undefined,
  signal: AbortSignal,
): Promise<ModelRequest | Terminal> {
  if (key === undefined) return request;
  const { model } = request;
  const fail = (failure: ProviderFailure) => failed(model, undefined, failure) as Terminal;
  try {
    const { headers, ...reached } = await beforeAbort(reach(model, key), signal);
    return { ...request, ...reached, ...(headers && { headers: { ...request.headers, ...headers } }) };
  } catch (fault) {
    if (signal.aborted) return fail({ kind: 'aborted', message: 'Request was aborted' });
    return fail(accessFailure(fault));
  }
}

/** Why there are no credentials. A token server that is down or out of reach is waited for, like a provider. */
export function accessFailure(fault: unknown): ProviderFailure {
  const message = messageOf(fault);
  if (!(fault instanceof TenonError)) return { kind: 'auth', message };
  const { code, next } = fault;
  const kind = code === 'MODELS_UNREACHABLE' ? 'network' : code === 'MODELS_PROVIDER_DOWN' ? 'server' : 'auth';
  return { kind, message, code, next };
}
