/** What a key or token becomes before models are called with it: another token, another address, more headers. */
import { messageOf, TenonError } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import type { AccessSpec, ClaimSpec } from '../api.ts';
import { errors } from '../errors.ts';
import { isNetworkFault, networkWords } from './network-fault.ts';

/** What a call of a model uses in place of the key alone. */
export interface Access {
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Readonly<Record<string, unknown>>;
}

/** An access, and until when it holds; for ever when that is absent. */
export interface TimedAccess {
  readonly access: Access;
  readonly expiresAt?: number;
}

/** The endpoint refused a key, or an account. */
export class AccessRefusal extends Error {
  readonly status: number;

  constructor(status: number, said: string) {
    super(said);
    this.status = status;
  }
}

/** An access that ends within this time is replaced before it is used. */
const RENEW_BEFORE_MS = 60_000;

interface Kept {
  readonly work: Promise<TimedAccess>;
  /** When a new one is due; known once the work is done. */
  until: number;
  readonly spec: AccessSpec;
}

/** Keeps what keys became, for this process only: short-lived tokens are not written down. */
export class AccessDesk {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #kept = new Map<string, Kept>();

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /** The access for a key. Everybody who asks meanwhile shares one request. */
  async for(provider: string, spec: AccessSpec, key: string): Promise<Access> {
    const id = `${provider} ${key}`;
    const found = this.#kept.get(id);
    if (found && found.until > Date.now()) return (await found.work).access;
    for (const [old, { until }] of this.#kept) if (until <= Date.now()) this.#kept.delete(old);
    const kept: Kept = { work: this.#get(provider, spec, key), until: Number.POSITIVE_INFINITY, spec };
    this.#kept.set(id, kept);
    try {
      const { access, expiresAt = Number.POSITIVE_INFINITY } = await kept.work;
      kept.until = expiresAt - RENEW_BEFORE_MS;
      return access;
    } catch (fault) {
      if (this.#kept.get(id) === kept) this.#kept.delete(id);
      throw fault;
    }
  }

  /** Drops the token that a key was exchanged for. False when there is none, so that the key itself must be what was refused. */
  forget(provider: string, key: string): boolean {
    const id = `${provider} ${key}`;
    return this.#kept.get(id)?.spec.kind === 'exchange' && this.#kept.delete(id);
  }

  async #get(provider: string, spec: AccessSpec, key: string): Promise<TimedAccess> {
    try {
      if (spec.kind === 'claim') return { access: withClaim(spec, key) };
      if (spec.kind === 'exchange') return await (await import('./token-exchange.ts')).exchange(spec, key);
      const { codeAssistProject } = await import('./code-assist.ts');
      const project = await codeAssistProject(spec, key, this.#env);
      return { access: { apiKey: key, quirks: { project } } };
    } catch (fault) {
      throw accessFailure(fault, provider);
    }
  }
}

function accessFailure(fault: unknown, provider: string): unknown {
  if (fault instanceof TenonError) return fault;
  if (isNetworkFault(fault))
    return errors.create('MODELS_UNREACHABLE', { provider, said: networkWords(fault), address: '' }, fault);
  const said = plainLine(messageOf(fault)).replace(/\.$/, '');
  const status = fault instanceof AccessRefusal ? fault.status : 0;
  if (status === 401) return errors.create('MODELS_KEY_REFUSED', { provider, said, orSet: '' }, fault);
  if (status === 429 || status >= 500) return errors.create('MODELS_PROVIDER_DOWN', { provider, said }, fault);
  return errors.create('MODELS_NO_ACCESS', { provider, reason: said }, fault);
}

/** The claim of a JWT. Its signature is not checked: it is the endpoint that trusts it, not we. */
function withClaim({ claim, header }: ClaimSpec, key: string): Access {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    // The parser's words are about a secret; they would help nobody.
    throw new AccessRefusal(403, 'the token is not of the kind that names an account');
  }
  for (const name of claim) value = (value as Record<string, unknown> | null | undefined)?.[name];
  if (typeof value !== 'string' || !/^[\w.:-]+$/.test(value))
    throw new AccessRefusal(403, `the token names no account (${claim.at(-1)})`);
  return { apiKey: key, headers: { [header]: value } };
}
