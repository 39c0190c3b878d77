/** Logins without a browser: as a program, by a secret, a signed statement or the word of its platform; or as a person whose company vouches for them. */
import { createPrivateKey } from 'node:crypto';
import type {
  AddClientAuthentication,
  DpopSession,
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { freshKey } from './bound-key.ts';
import type { OAuthConfig } from './oauth-provider.ts';

type Sdk = typeof import('@modelcontextprotocol/client');
type Grant = (about: { readonly issuer: string; readonly resource: string }) => Promise<Record<string, string>>;

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Whether the configuration says how to log in without a browser. */
export function hasGrant({ grantType }: OAuthConfig): boolean {
  return grantType === 'client_credentials' || grantType === 'jwt-bearer' || grantType === 'id-jag';
}

/** The way in that the configuration names; nothing where people log in with a browser. */
export function grantProvider(sdk: Sdk, server: string, config: OAuthConfig): GrantProvider | undefined {
  const { grantType, clientId, clientSecret, privateKey } = config;
  if (!hasGrant(config)) return undefined;
  const bad = (reason: string) => errors.create('MCP_OAUTH_CONFIG', { server, reason });
  const grant = grantOf(sdk, config, bad);
  if (clientId === undefined) throw bad(`grantType "${grantType}" needs a clientId`);
  if (privateKey === undefined && clientSecret === undefined && grantType !== 'jwt-bearer')
    throw bad(`grantType "${grantType}" needs a clientSecret or a privateKey`);
  if (privateKey === undefined) return new GrantProvider(config, grant);
  const alg = config.algorithm ?? algorithmOf(privateKey, bad);
  const signed = sdk.createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg });
  return new GrantProvider(config, grant, signed);
}

function grantOf(sdk: Sdk, { grantType, idp, assertion }: OAuthConfig, bad: (reason: string) => Error): Grant {
  if (grantType === 'jwt-bearer') {
    if (assertion === undefined)
      throw bad('grantType "jwt-bearer" needs an assertion: the token of the platform that Tenon runs on');
    return async () => ({ grant_type: JWT_BEARER, assertion });
  }
  if (grantType !== 'id-jag') return async () => ({ grant_type: 'client_credentials' });
  if (!idp) throw bad('grantType "id-jag" needs idp: the issuer, clientId and idToken at your company');
  return async ({ issuer, resource }) => {
    const asked = { audience: issuer, resource, idToken: idp.idToken, clientId: idp.clientId };
    const secret = idp.clientSecret !== undefined && { clientSecret: idp.clientSecret };
    const { jwtAuthGrant } = await (idp.tokenEndpoint === undefined
      ? sdk.discoverAndRequestJwtAuthGrant({ idpUrl: idp.issuer, ...asked, ...secret })
      : sdk.requestJwtAuthorizationGrant({ tokenEndpoint: idp.tokenEndpoint, ...asked, ...secret }));
    return { grant_type: JWT_BEARER, assertion: jwtAuthGrant };
  };
}

/** The usual algorithm for a key. */
function algorithmOf(pem: string, bad: (reason: string) => Error): string {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    if (asymmetricKeyType === 'rsa') return 'RS256';
    const curves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
    const found = curves[asymmetricKeyDetails?.namedCurve ?? ''];
    if (found !== undefined) return found;
    throw new Error(`keys of type ${asymmetricKeyType} cannot be used; make an RSA key, or one on the curve P-256`);
  } catch (fault) {
    throw bad(`privateKey: ${messageOf(fault)}`);
  }
}

/** Gets tokens by itself, again whenever they end. They are kept for as long as the connection lives. */
export class GrantProvider implements OAuthClientProvider {
  readonly addClientAuthentication?: AddClientAuthentication;
  readonly redirectUrl = undefined;
  readonly #config: OAuthConfig;
  readonly #grant: Grant;
  #tokens: StoredOAuthTokens | undefined;
  #key: Promise<DpopSession> | undefined;
  #issuer = '';
  #resource = '';

  constructor(config: OAuthConfig, grant: Grant, signed?: AddClientAuthentication) {
    this.#config = config;
    this.#grant = grant;
    if (signed) this.addClientAuthentication = signed;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scopes, grantType, clientSecret } = this.#config;
    const bySecret = clientSecret === undefined ? 'none' : 'client_secret_basic';
    return {
      client_name: 'Tenon',
      redirect_uris: [],
      grant_types: [grantType === 'client_credentials' ? grantType : JWT_BEARER],
      token_endpoint_auth_method: this.addClientAuthentication ? 'private_key_jwt' : bySecret,
      ...(scopes !== undefined && { scope: scopes }),
    };
  }

  /** With an issuer, the credentials go to that authorization server only, whatever the MCP server names. */
  clientInformation(): StoredOAuthClientInformation {
    const { clientId = '', clientSecret, issuer } = this.#config;
    return {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(issuer !== undefined && { issuer }),
    };
  }

  /** What signs each request, where tokens are to be bound to a key. */
  async dpop(): Promise<DpopSession | undefined> {
    if (this.#config.dpop !== true) return undefined;
    this.#key ??= freshKey();
    return this.#key;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  invalidateCredentials(): void {
    this.#tokens = undefined;
  }

  saveAuthorizationServerUrl(url: string): void {
    this.#issuer = url;
  }

  saveResourceUrl(url: string): void {
    this.#resource = url;
  }

  async prepareTokenRequest(scope?: string): Promise<URLSearchParams> {
    const form = await this.#grant({ issuer: this.#issuer, resource: this.#resource });
    return new URLSearchParams({ ...form, ...(scope !== undefined && scope !== '' && { scope }) });
  }

  redirectToAuthorization(): void {
    throw new Error('this login has no page in a browser');
  }

  saveCodeVerifier(): void {
    // There is no code to exchange.
  }

  codeVerifier(): string {
    throw new Error('this login has no code to exchange');
  }
}
