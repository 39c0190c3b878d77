import { createHash, randomBytes } from 'node:crypto';
import type { FakeAnswer, FakeRequest } from './http.ts';
import { LiveTokens } from './tokens.ts';

/** How one vendor's flow differs from the standard. */
export interface CodeFlowOptions {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** True for a redirect address that is registered. */
  redirect(address: URL): boolean;
  readonly lifeSeconds: number;
  /** True when each renewal gives a new refresh token and ends the old one. */
  readonly rotates: boolean;
  accessToken(): string;
}

interface Pending {
  readonly challenge: string;
  readonly redirect: string;
}

/** OAuth with PKCE, strict: codes work once, the verifier has to fit, a refresh token that comes twice ends the login. */
export class CodeFlow {
  readonly options: CodeFlowOptions;
  readonly access = new LiveTokens();
  /** What the user does with the page: agrees, or refuses. */
  decision: 'approve' | 'deny' = 'approve';
  /** Renewals that were asked for, those that failed included. */
  renewals = 0;
  /** Parameters of the last visit of the page. */
  asked = new URLSearchParams();
  readonly #codes = new Map<string, Pending>();
  #refresh = new Set<string>();

  constructor(options: CodeFlowOptions) {
    this.options = options;
  }

  /** The page that the browser opens: it sends the browser back at once. */
  authorize({ query }: FakeRequest): FakeAnswer {
    this.asked = query;
    const redirect = new URL(query.get('redirect_uri') ?? 'about:blank');
    if (query.get('client_id') !== this.options.clientId) return { status: 401, body: { error: 'invalid_client' } };
    // A vendor shows this to the user and sends nobody anywhere.
    if (!this.options.redirect(redirect)) return { status: 400, body: { error: 'redirect_uri_mismatch' } };
    if (query.get('response_type') !== 'code' || query.get('code_challenge_method') !== 'S256')
      return { status: 400, body: { error: 'invalid_request' } };
    const registered = redirect.href;
    redirect.searchParams.set('state', query.get('state') ?? '');
    if (this.decision === 'deny') redirect.searchParams.set('error', 'access_denied');
    else {
      const code = randomBytes(8).toString('hex');
      this.#codes.set(code, { challenge: query.get('code_challenge') ?? '', redirect: registered });
      redirect.searchParams.set('code', code);
    }
    return { status: 302, headers: { location: redirect.href } };
  }

  /** The token address. */
  token({ form }: FakeRequest): FakeAnswer {
    const { clientId, clientSecret } = this.options;
    if (
      form.get('client_id') !== clientId ||
      (clientSecret !== undefined && form.get('client_secret') !== clientSecret)
    )
      return { status: 401, body: { error: 'invalid_client', error_description: 'The OAuth client was not found.' } };
    return form.get('grant_type') === 'refresh_token' ? this.#renew(form) : this.#redeem(form);
  }

  #redeem(form: URLSearchParams): FakeAnswer {
    const code = form.get('code') ?? '';
    const pending = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const fits = pending?.challenge === challenge && new URL(form.get('redirect_uri') ?? '').href === pending.redirect;
    return fits ? this.#issue() : refused('the code, its verifier or the address do not fit');
  }

  #renew(form: URLSearchParams): FakeAnswer {
    this.renewals++;
    const token = form.get('refresh_token') ?? '';
    if (!this.#refresh.has(token)) {
      // A token that comes twice was stolen, or a client is careless: the whole login ends.
      this.#refresh.clear();
      return refused('the refresh token was used before');
    }
    if (!this.options.rotates) return this.#issue(false);
    this.#refresh.delete(token);
    return this.#issue();
  }

  #issue(withRefresh = true): FakeAnswer {
    const access_token = this.access.add(this.options.accessToken());
    const refresh_token = `refresh-${randomBytes(8).toString('hex')}`;
    if (withRefresh) this.#refresh.add(refresh_token);
    const body = { access_token, token_type: 'Bearer', expires_in: this.options.lifeSeconds };
    return { status: 200, body: withRefresh ? { ...body, refresh_token } : body };
  }
}

function refused(why: string): FakeAnswer {
  return { status: 400, body: { error: 'invalid_grant', error_description: why } };
}
