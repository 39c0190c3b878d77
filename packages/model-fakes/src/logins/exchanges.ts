import type { FakeAnswer, FakeRequest } from './http.ts';
import { LiveTokens } from './tokens.ts';

/** Copilot's short-lived tokens. */
export class CopilotTokens {
  readonly tokens = new LiveTokens();
  /** How long a token lives, in seconds. */
  lifeSeconds = 1800;
  /** `yes`, `no-plan`: the account has no subscription; `no-client`: the exchange is not for this client. */
  access: 'yes' | 'no-plan' | 'no-client' = 'yes';
  /** Where the token's models are. */
  api: string;
  exchanges = 0;
  readonly #github: LiveTokens;

  constructor(github: LiveTokens, api: string) {
    this.#github = github;
    this.api = api;
  }

  /** `copilot_internal/v2/token` */
  exchange({ authorization }: FakeRequest): FakeAnswer {
    this.exchanges++;
    if (this.access === 'no-client') return { status: 404, body: { message: 'Not Found' } };
    if (!authorization.startsWith('token ') || !this.#github.has(authorization))
      return { status: 401, body: { message: 'Bad credentials' } };
    if (this.access === 'no-plan') {
      const message = 'No access to GitHub Copilot found for this account';
      return { status: 403, body: { can_signup_for_limited: true, error_details: { message, title: 'Sign up' } } };
    }
    const expires_at = Math.floor(Date.now() / 1000) + this.lifeSeconds;
    const token = this.tokens.issue('tid=');
    const endpoints = { api: this.api, proxy: 'https://copilot-proxy.githubusercontent.com' };
    return {
      status: 200,
      body: { token, expires_at, refresh_in: this.lifeSeconds - 300, endpoints, chat_enabled: true },
    };
  }
}

/** Tokens of GitLab's gateway. */
export class DuoTokens {
  readonly tokens = new LiveTokens();
  /** Personal access tokens that are accepted. */
  readonly personal = new LiveTokens();
  hasDuo = true;
  exchanges = 0;
  readonly #logins: LiveTokens;

  constructor(logins: LiveTokens) {
    this.#logins = logins;
  }

  /** `third_party_agents/direct_access` */
  exchange({ authorization }: FakeRequest): FakeAnswer {
    this.exchanges++;
    if (!this.#logins.has(authorization) && !this.personal.has(authorization))
      return { status: 401, body: { message: '401 Unauthorized' } };
    if (!this.hasDuo) return { status: 403, body: { message: '403 Forbidden' } };
    const headers = {
      'X-Gitlab-Instance-Id': 'instance-1',
      'X-Gitlab-Realm': 'saas',
      'x-api-key': 'must-not-be-taken',
      authorization: 'Bearer must-not-be-taken',
    };
    return { status: 201, body: { token: this.tokens.issue('gateway-'), headers } };
  }
}

/** The account at Google's Code Assist. */
export class CodeAssist {
  /** `known` has a project, `new` has to be set up, `own-project` needs one of the user's, `refused` gets no tier. */
  account: 'known' | 'new' | 'own-project' | 'refused' = 'known';
  /** How often the set-up answers that it is not done. */
  pendingSetUps = 1;
  readonly setUps: Readonly<Record<string, unknown>>[] = [];
  readonly #google: LiveTokens;

  constructor(google: LiveTokens) {
    this.#google = google;
  }

  /** `v1internal:loadCodeAssist` */
  load({ authorization, json }: FakeRequest): FakeAnswer {
    if (!this.#google.has(authorization)) return unauthenticated();
    const standard = { id: 'standard-tier', name: 'Standard', userDefinedCloudaicompanionProject: true };
    const free = { id: 'free-tier', name: 'Free', isDefault: true };
    switch (this.account) {
      case 'known':
        return { status: 200, body: { currentTier: free, cloudaicompanionProject: 'managed-project' } };
      case 'new':
        return { status: 200, body: { allowedTiers: [standard, free] } };
      case 'own-project': {
        const project = json['cloudaicompanionProject'];
        return {
          status: 200,
          body: { currentTier: standard, ...(project !== undefined && { cloudaicompanionProject: project }) },
        };
      }
      case 'refused': {
        const reasonMessage = 'Your current account is not eligible: your location is not supported.';
        return { status: 200, body: { ineligibleTiers: [{ reasonCode: 'UNSUPPORTED_LOCATION', reasonMessage }] } };
      }
    }
  }

  /** `v1internal:onboardUser` */
  onboard({ authorization, json }: FakeRequest): FakeAnswer {
    if (!this.#google.has(authorization)) return unauthenticated();
    this.setUps.push(json);
    if (this.setUps.length <= this.pendingSetUps) return { status: 200, body: { name: 'operations/1' } };
    this.account = 'known';
    const response = { cloudaicompanionProject: { id: 'managed-project', name: 'managed-project' } };
    return { status: 200, body: { name: 'operations/1', done: true, response } };
  }
}

function unauthenticated(): FakeAnswer {
  const error = { code: 401, message: 'Request had invalid authentication credentials.', status: 'UNAUTHENTICATED' };
  return { status: 401, body: { error } };
}
