/** What the protocol's code asks about a login: who we are, what we have, where the user is sent. */
import { randomBytes } from 'node:crypto';
import type {
  DpopSession,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { keptKey } from './bound-key.ts';
import type { LoginStore } from './login-store.ts';

/** What the configuration says about a login. */
export interface OAuthConfig {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** A document on the web that says who we are, for servers that take one instead of a registration. */
  readonly clientMetadataUrl?: string;
  readonly redirectUri?: string;
  readonly callbackPort?: number;
  readonly callbackPath?: string;
  readonly scopes?: string;
  /** `client_credentials` for programs that log in as themselves, `jwt-bearer` for those that their platform vouches for, `id-jag` for people whose company vouches for them; else the browser. */
  readonly grantType?: string;
  /** The authorization server that alone gets these credentials. */
  readonly issuer?: string;
  /** A key in PEM form (PKCS 8): the program signs who it is instead of sending a secret. */
  readonly privateKey?: string;
  /** How it signs (`ES256`, `RS256`, …); by the kind of key if absent. */
  readonly algorithm?: string;
  readonly idp?: IdentityProvider;
  /** What the platform of a program says about it, a JWT: for the grant type `jwt-bearer`. */
  readonly assertion?: string;
  /** Tokens are bound to a key of ours (DPoP). */
  readonly dpop?: boolean;
}

/** Who a company's people are, by the word of its identity provider. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Where it exchanges tokens; by its metadata if absent. */
  readonly tokenEndpoint?: string;
  /** What the provider gave when the person logged in. */
  readonly idToken: string;
}

/** Reads the `oauth` section of a server, whatever it holds. */
export function oauthConfig(section: Readonly<Record<string, unknown>> | undefined): OAuthConfig {
  const text = (name: string) => textOf(section, name);
  const { callbackPort, scopes, dpop } = section ?? {};
  const idp = identityProvider(section?.['idp']);
  return {
    ...text('clientId'),
    ...text('clientSecret'),
    ...text('clientMetadataUrl'),
    ...text('redirectUri'),
    ...text('callbackPath'),
    ...text('grantType'),
    ...text('issuer'),
    ...text('privateKey'),
    ...text('algorithm'),
    ...text('assertion'),
    ...(dpop === true && { dpop }),
    ...(idp && { idp }),
    ...(typeof callbackPort === 'number' && { callbackPort }),
    ...(Array.isArray(scopes) ? { scopes: scopes.join(' ') } : { ...text('scopes') }),
  };
}

function textOf(section: Readonly<Record<string, unknown>> | undefined, name: string): Record<string, string> {
  const value = section?.[name];
  return typeof value === 'string' && value !== '' ? { [name]: value } : {};
}

function identityProvider(value: unknown): IdentityProvider | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const section = value as Readonly<Record<string, unknown>>;
  const { issuer, clientId, idToken } = {
    ...textOf(section, 'issuer'),
    ...textOf(section, 'clientId'),
    ...textOf(section, 'idToken'),
  };
  if (issuer === undefined || clientId === undefined || idToken === undefined) return undefined;
  return { issuer, clientId, idToken, ...textOf(section, 'clientSecret'), ...textOf(section, 'tokenEndpoint') };
}

/** How a provider is made. */
export interface ProviderParts {
  readonly store: LoginStore;
  readonly config: OAuthConfig;
  readonly redirectUrl: string;
  /** Sends the user to the address. In the background nobody can be sent, and this rejects. */
  redirect(url: URL): Promise<void>;
  /** True for a new login, for which the tokens that are there do not count. */
  readonly isFresh?: boolean;
}

/** The login of one server. */
export class LoginProvider implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly #parts: ProviderParts;
  readonly #state = randomBytes(24).toString('base64url');
  #verifier = '';
  #isRenewed = false;
  /** The refresh token that was last given out. */
  #used: string | undefined;
  #key: Promise<DpopSession> | undefined;

  constructor(parts: ProviderParts) {
    this.#parts = parts;
    const { clientMetadataUrl } = parts.config;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  get redirectUrl(): string {
    return this.#parts.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scopes, clientSecret } = this.#parts.config;
    return {
      client_name: 'Tenon',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(scopes !== undefined && { scope: scopes }),
    };
  }

  state(): string {
    return this.#state;
  }

  /** What signs each request, where tokens are to be bound to a key. */
  async dpop(): Promise<DpopSession | undefined> {
    if (this.#parts.config.dpop !== true) return undefined;
    this.#key ??= keptKey(this.#parts.store);
    return this.#key;
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { clientId, clientSecret } = this.#parts.config;
    if (clientId !== undefined) {
      return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
    }
    const { client } = await this.#parts.store.read();
    // A registration is for one address to come back to; a new port is a new registration.
    const registered = (client as { redirect_uris?: readonly string[] } | undefined)?.redirect_uris;
    const isOurs = !this.#parts.isFresh || registered === undefined || registered.includes(this.redirectUrl);
    return isOurs ? client : undefined;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    const kept = { redirect_uris: [this.redirectUrl], ...client };
    await this.#parts.store.change((login) => ({ ...login, client: kept }));
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    if (this.#parts.isFresh && !this.#isRenewed) return undefined;
    const { tokens } = await this.#parts.store.read();
    this.#used = tokens?.refresh_token;
    return tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    this.#isRenewed = true;
    await this.#parts.store.change(({ wantedScope: _granted, ...login }) => ({
      ...login,
      // A renewal may leave the refresh token out; then the old one stays.
      tokens: { ...(login.tokens?.refresh_token && { refresh_token: login.tokens.refresh_token }), ...tokens },
    }));
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    const scope = url.searchParams.get('scope');
    if (scope !== null) await this.#parts.store.change((login) => ({ ...login, wantedScope: scope }));
    await this.#parts.redirect(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.#parts.store.change((login) => ({ ...login, discovery }));
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    if (this.#parts.isFresh && !this.#verifier) return undefined;
    return (await this.#parts.store.read()).discovery;
  }

  async invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const used = this.#used;
    await this.#parts.store.change((login) => {
      // Another process may have renewed the tokens with the refresh token that was refused here.
      const isOutdated = login.tokens?.refresh_token === undefined || login.tokens.refresh_token === used;
      return {
        ...(what !== 'all' && what !== 'client' && login.client && { client: login.client }),
        ...(!((what === 'all' || what === 'tokens') && isOutdated) && login.tokens && { tokens: login.tokens }),
        ...(what !== 'all' && what !== 'discovery' && login.discovery && { discovery: login.discovery }),
        ...(login.wantedScope !== undefined && { wantedScope: login.wantedScope }),
        ...(login.boundKey && { boundKey: login.boundKey }),
      };
    });
  }
}
