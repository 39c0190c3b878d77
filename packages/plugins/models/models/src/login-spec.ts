/** How endpoints let people in, as data: the login, what is done with its token, and which protocol a model speaks there. */

/** How to log in at an endpoint in the browser. */
export interface OAuthSpec {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /**
   * `pkce` is the standard flow. `key` is the short one of OpenRouter, which ends with an API key. `device` shows a code to enter in
   * any browser; `authorizeUrl` is then the address that gives the code.
   */
  readonly style?: 'pkce' | 'key' | 'device';
  readonly clientId?: string;
  /** Of the user's own client, where the vendor gives out one that desktop programs send along; `$VARIABLE` names where it is. */
  readonly clientSecret?: string;
  /** Whose client `clientId` is, when it is another program's: people are told and have to agree. */
  readonly clientOwner?: string;
  /** Where the user registers a client; a login without `clientId` needs one of the user's own. */
  readonly register?: string;
  /** What is known about the vendor's terms; people have to agree to go on before the login starts. */
  readonly terms?: string;
  readonly scopes?: readonly string[];
  /** The loopback port that the endpoint knows; any free one if absent. */
  readonly port?: number;
  readonly callbackPath?: string;
  /** The name of this machine in the address that the vendor has registered; `127.0.0.1` if absent. */
  readonly callbackHost?: '127.0.0.1' | 'localhost';
  /** Further parameters of the first request. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A token is exchanged for another one that lives shortly; calls of models carry that one. */
export interface ExchangeSpec {
  readonly kind: 'exchange';
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  /** The word before the token in `Authorization`; `Bearer` if absent. */
  readonly scheme?: string;
  /** Where the short-lived token is in the answer, and when it ends (seconds since 1970); dots lead inwards. */
  readonly token: string;
  readonly expires?: string;
  /** How long a token is used when the answer does not say. */
  readonly lifeSeconds?: number;
  /** Where the answer names the address for calls. It counts only on `url`'s host, or on `hosts` and what is below them. */
  readonly baseUrl?: string;
  readonly hosts?: readonly string[];
  /** Where the answer has headers for calls; only those that start with `headerPrefix` are taken. */
  readonly headers?: string;
  readonly headerPrefix?: string;
  /** True when the token itself is used where the exchange does not exist (404). */
  readonly optional?: boolean;
}

/** A claim of the token, which is a JWT, goes into a header. */
export interface ClaimSpec {
  readonly kind: 'claim';
  /** The way to the claim. */
  readonly claim: readonly string[];
  readonly header: string;
}

/** The account of Google's Code Assist is looked up, and set up where it is new; calls carry its project. */
export interface CodeAssistSpec {
  readonly kind: 'code-assist';
  /** Where its methods are: `…/v1internal`. */
  readonly url: string;
  /** Environment variables that name the user's own project; the first that is set counts. */
  readonly projectEnv?: readonly string[];
}

/** What is done with a token before models can be called. */
export type AccessSpec = ExchangeSpec | ClaimSpec | CodeAssistSpec;

/** The protocol of some models of an endpoint, where it is not the one of the others. */
export interface ModelRoute {
  /** Patterns of the ids; the first route with one that fits counts. */
  readonly match: readonly string[];
  readonly api: string;
  /** What follows the base URL. */
  readonly path?: string;
  /** The endpoint whose models these are; the catalogue says there whether they think and see. */
  readonly catalogue?: string;
}
