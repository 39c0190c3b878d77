import { CodeFlow } from './code-flow.ts';
import { DeviceFlow } from './device-flow.ts';
import { CodeAssist, CopilotTokens, DuoTokens } from './exchanges.ts';
import { serveRoutes } from './http.ts';
import { unsignedJwt } from './tokens.ts';

/** The claim of ChatGPT's tokens that holds the account. */
const CLAIM = 'https://api.openai.com/auth';

/** Running fakes of the vendors' logins. */
export interface FakeLogins {
  readonly url: string;
  /** GitHub: device flow, and the exchange of its token for one of Copilot. */
  readonly github: DeviceFlow;
  readonly copilot: CopilotTokens;
  /** ChatGPT: PKCE on the registered port, refresh tokens that work once. */
  readonly openai: CodeFlow;
  /** The account in ChatGPT's tokens; without one the account has no workspace. */
  chatgptAccount: string | undefined;
  /** Google: PKCE with a client secret, a refresh token that stays. */
  readonly google: CodeFlow;
  readonly codeAssist: CodeAssist;
  /** GitLab: PKCE, refresh tokens that work once, and the exchange for a token of its gateway. */
  readonly gitlab: CodeFlow;
  readonly duo: DuoTokens;
  close(): Promise<void>;
}

/** How the fakes are set up. */
export interface FakeLoginOptions {
  /** Where the models are. */
  readonly modelsUrl: string;
  /** The ports of the redirect addresses that are registered with the vendors. */
  readonly openaiPort?: number;
  readonly gitlabPort?: number;
}

/** Starts the fakes on a free loopback port. */
export async function startFakeLogins(options: FakeLoginOptions): Promise<FakeLogins> {
  const { openaiPort = 1455, gitlabPort = 14_550 } = options;
  const onLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && hostname === '127.0.0.1';
  const github = new DeviceFlow('Ov23-own-app');
  const copilot = new CopilotTokens(github.access, options.modelsUrl);
  const openai = new CodeFlow({
    clientId: 'app_EMoamEEZ73f0CkXaXp7hrann',
    redirect: ({ hostname, port, pathname }) =>
      hostname === 'localhost' && port === String(openaiPort) && pathname === '/auth/callback',
    lifeSeconds: 3600,
    rotates: true,
    accessToken: () => unsignedJwt({ [CLAIM]: { chatgpt_account_id: fake.chatgptAccount, chatgpt_plan_type: 'plus' } }),
  });
  const google = new CodeFlow({
    clientId: 'own.apps.googleusercontent.com',
    clientSecret: 'GOCSPX-own',
    redirect: onLoopback,
    lifeSeconds: 3599,
    rotates: false,
    accessToken: () => `ya29.${Math.random()}`,
  });
  const codeAssist = new CodeAssist(google.access);
  const gitlab = new CodeFlow({
    clientId: 'own-application',
    redirect: ({ host, pathname }) => host === `127.0.0.1:${gitlabPort}` && pathname === '/callback',
    lifeSeconds: 7200,
    rotates: true,
    accessToken: () => `gloas-${Math.random()}`,
  });
  const duo = new DuoTokens(gitlab.access);
  const { url, close } = await serveRoutes({
    'POST /github/login/device/code': (request) => github.start(request),
    'POST /github/login/oauth/access_token': (request) => github.token(request),
    'GET /github/copilot_internal/v2/token': (request) => copilot.exchange(request),
    'GET /openai/oauth/authorize': (request) => openai.authorize(request),
    'POST /openai/oauth/token': (request) => openai.token(request),
    'GET /google/auth': (request) => google.authorize(request),
    'POST /google/token': (request) => google.token(request),
    'POST /google/v1internal:loadCodeAssist': (request) => codeAssist.load(request),
    'POST /google/v1internal:onboardUser': (request) => codeAssist.onboard(request),
    'GET /gitlab/oauth/authorize': (request) => gitlab.authorize(request),
    'POST /gitlab/oauth/token': (request) => gitlab.token(request),
    'POST /gitlab/api/v4/ai/third_party_agents/direct_access': (request) => duo.exchange(request),
  });
  const fake: FakeLogins = {
    url,
    close,
    github,
    copilot,
    openai,
    chatgptAccount: 'acc-1234',
    google,
    codeAssist,
    gitlab,
    duo,
  };
  return fake;
}
