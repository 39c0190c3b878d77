/** What the user's models file changes about a known endpoint. */
import type { AccessSpec, OAuthSpec } from './api.ts';
import type { KeyedEndpoint } from './auth/auth-store.ts';
import { STANDARD_API } from './models-file-check.ts';

/** What the models file says about an endpoint. */
export type OwnEndpoint = Omit<Partial<KeyedEndpoint>, 'oauth' | 'access'> & {
  readonly oauth?: Partial<OAuthSpec>;
  readonly access?: { readonly url: string };
};

/** An endpoint with what the user says about it. The login and the access are joined, so that a client id alone is enough. */
export function withOwn(endpoint: KeyedEndpoint, own: OwnEndpoint | undefined): KeyedEndpoint {
  if (!own) return endpoint;
  const { oauth: ownLogin, access: _joined, ...rest } = own;
  const oauth = joinedLogin(endpoint.oauth, ownLogin);
  const access = joinedAccess(endpoint.access, own);
  return { ...endpoint, ...rest, ...(oauth && { oauth }), ...(access && { access }) };
}

/** An endpoint that only the user knows. */
export function ownEndpoint(provider: string, own: OwnEndpoint): KeyedEndpoint {
  const { oauth, access: _ofKnownOnes, ...rest } = own;
  const login = joinedLogin(undefined, oauth);
  const keyOptional = own.apiKey === undefined && !login;
  return { name: provider, api: STANDARD_API, anyModel: true, keyOptional, ...rest, ...(login && { oauth: login }) };
}

function joinedLogin(known: OAuthSpec | undefined, own: Partial<OAuthSpec> | undefined): OAuthSpec | undefined {
  if (!own) return known;
  const { clientOwner, ...rest } = known ?? {};
  // A client of the user's own is nobody else's.
  const owner = own.clientId === undefined && clientOwner !== undefined ? { clientOwner } : {};
  const { authorizeUrl, tokenUrl, ...joined } = { ...rest, ...own, ...owner };
  // The check of the file has reported it.
  return authorizeUrl === undefined || tokenUrl === undefined ? known : { ...joined, authorizeUrl, tokenUrl };
}

function joinedAccess(known: AccessSpec | undefined, own: OwnEndpoint): AccessSpec | undefined {
  if (!known) return undefined;
  const joined: AccessSpec = known.kind === 'claim' ? known : { ...known, ...own.access };
  if (joined.kind !== 'exchange' || own.baseUrl === undefined) return joined;
  // The user's own address counts, whatever the exchange says.
  const { baseUrl: _theirs, ...rest } = joined;
  return rest;
}
