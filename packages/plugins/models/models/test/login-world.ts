/** The vendors' logins and models as fakes, and a models file that leads there and nowhere else. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { type FakeLogins, type RecordedRequest, type Reply, startFakeLogins } from '@tenon/model-fakes';
import { runCommand } from '@tenon/test-kit/command-run';
import { afterEach, beforeEach } from 'vitest';
import { modelsWorld } from './models-world.ts';

/** A port that nobody uses now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** What the user does while `auth login` waits. */
export interface LoginVisit {
  readonly flags?: Record<string, string | boolean>;
  /** What is answered to questions; nobody is there without it. */
  readonly answer?: string | (() => string);
  readonly signal?: AbortSignal;
  /** Called with what is shown. Opens the address if absent. */
  onShown?(text: string): void | Promise<void>;
}

/** A world with logins for each test of a file. */
export function loginWorld() {
  const world = modelsWorld();
  const own = { logins: undefined as unknown as FakeLogins, ports: { openai: 0, gitlab: 0 } };
  beforeEach(async () => {
    own.ports = { openai: await freePort(), gitlab: await freePort() };
    const { openai: openaiPort, gitlab: gitlabPort } = own.ports;
    own.logins = await startFakeLogins({ modelsUrl: world.fake.url, openaiPort, gitlabPort });
  });
  afterEach(() => own.logins.close());

  /** The models file; `more` are lines of providers of their own. */
  const file = () => {
    const { url } = own.logins;
    const google = `{ authorizeUrl: '${url}/google/auth', tokenUrl: '${url}/google/token', clientId: own.apps.googleusercontent.com, clientSecret: $GOOGLE_CLIENT_SECRET }`;
    return `
providers:
  github-copilot:
    oauth: { authorizeUrl: '${url}/github/login/device/code', tokenUrl: '${url}/github/login/oauth/access_token' }
    access: { url: '${url}/github/copilot_internal/v2/token' }
  openai-codex:
    baseUrl: ${world.fake.url}/backend-api/codex
    oauth: { authorizeUrl: '${url}/openai/oauth/authorize', tokenUrl: '${url}/openai/oauth/token', port: ${own.ports.openai} }
  google-oauth:
    baseUrl: ${world.fake.url}/v1beta
    oauth: ${google}
  google-gemini-cli:
    baseUrl: ${world.fake.url}/v1internal
    oauth: ${google}
    access: { url: '${url}/google/v1internal' }
  gitlab-duo:
    baseUrl: ${world.fake.url}/ai/v1/proxy
    oauth: { authorizeUrl: '${url}/gitlab/oauth/authorize', tokenUrl: '${url}/gitlab/oauth/token', port: ${own.ports.gitlab} }
    access: { url: '${url}/gitlab/api/v4/ai/third_party_agents/direct_access' }
`;
  };

  /** Runs `tenon auth login`, with a browser that opens what is shown. */
  async function logIn(provider: string, visit: LoginVisit = {}) {
    if (!world.kernel) throw new Error('start the world first');
    const shown: string[] = [];
    const err = async (text: string) => {
      shown.push(text);
      if (visit.onShown) return visit.onShown(text);
      const address = /^ {2}(http\S+)$/m.exec(text)?.[1];
      if (address?.includes('authorize') || address?.includes('/google/auth'))
        void fetch(address).then((response) => response.text());
    };
    const { answer, signal } = visit;
    const io = {
      interactive: true,
      err,
      ...(answer !== undefined && { ask: async () => (typeof answer === 'function' ? answer() : answer) }),
    };
    const options = { args: { provider }, flags: visit.flags ?? {}, io, cwd: world.folder, ...(signal && { signal }) };
    await runCommand(world.kernel, 'auth login', options);
    return shown.join('');
  }

  /** Answers those whose token is accepted; refuses the others, as the vendors do. */
  function answerIf(accepts: (authorization: string | string[] | undefined) => boolean, text = 'Hello.') {
    const reply = ({ headers }: RecordedRequest): Reply =>
      accepts(headers['authorization'])
        ? { content: [{ type: 'text', text }] }
        : { status: 401, message: 'invalid authentication credentials' };
    world.fake.otherwise(reply);
  }

  return Object.assign(world, { own, file, logIn, answerIf });
}
