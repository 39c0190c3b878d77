/** Logs in at a server with the browser: metadata, registration, PKCE, and the way back over a loopback address. */
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { openCallback } from './callback.ts';
import type { LoginStore } from './login-store.ts';
import { LoginProvider, type OAuthConfig } from './oauth-provider.ts';

/** What a login needs. */
export interface LoginRequest {
  readonly server: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly store: LoginStore;
  readonly config: OAuthConfig;
  /** Shows the user the address to open. */
  show(url: string): Promise<void>;
  readonly signal: AbortSignal;
}

const LOGIN_MS = 5 * 60_000;
const CHALLENGE_MS = 15_000;

/** Runs the whole login; the tokens are in the store afterwards. */
export async function login(request: LoginRequest): Promise<void> {
  const { server, store, config } = request;
  const callback = await openCallback({
    ...(config.callbackPort !== undefined && { port: config.callbackPort }),
    ...(config.callbackPath !== undefined && { path: config.callbackPath }),
    ...(config.redirectUri !== undefined && { redirectUri: config.redirectUri }),
  });
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(LOGIN_MS)]);
  try {
    const { auth } = await import('@modelcontextprotocol/client');
    let sent: Promise<URLSearchParams> | undefined;
    const provider = new LoginProvider({
      store,
      config,
      redirectUrl: callback.redirectUrl,
      isFresh: true,
      async redirect(url) {
        sent = callback.wait(provider.state(), signal);
        sent.catch(() => undefined); // awaited below
        await request.show(url.href);
      },
    });
    const { wantedScope } = await store.read();
    const asked = await challenge(request, signal);
    const scope = wantedScope ?? asked.scope ?? config.scopes;
    const options = {
      serverUrl: request.url,
      ...(scope !== undefined && { scope }),
      ...(asked.resourceMetadataUrl && { resourceMetadataUrl: asked.resourceMetadataUrl }),
    };
    await auth(provider, { ...options, forceReauthorization: true });
    if (!sent) return;
    const came = await sent;
    const problem = came.get('error_description') ?? came.get('error');
    const code = came.get('code');
    if (code === null) throw new Error(problem ?? 'the answer has no code');
    const iss = came.get('iss');
    await auth(provider, { ...options, authorizationCode: code, ...(iss !== null && { iss }) });
  } catch (fault) {
    request.signal.throwIfAborted();
    const reason = signal.aborted ? 'the browser login was not completed within five minutes' : messageOf(fault);
    throw errors.create('MCP_LOGIN_FAILED', { server, reason }, fault);
  } finally {
    callback.close();
  }
}

/**
 * What the server says about the login when it is called without one. Clients of the past begin with a handshake, those of today with a
 * question; a server may ask for a login at only one of the two.
 */
async function challenge(
  request: LoginRequest,
  signal: AbortSignal,
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const { extractWWWAuthenticateParams, LATEST_PROTOCOL_VERSION } = await import('@modelcontextprotocol/client');
  const clientInfo = { name: 'tenon', version: '0.1.0' };
  const handshake = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };
  let answer: Response | undefined;
  for (const [method, params] of [
    ['initialize', handshake],
    ['server/discover', {}],
  ] as const) {
    answer = await call(request, { jsonrpc: '2.0', id: 0, method, params }, signal);
    if (answer.headers.has('www-authenticate')) break;
  }
  const { resourceMetadataUrl, scope } = answer ? extractWWWAuthenticateParams(answer) : {};
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}

async function call({ url, headers }: LoginRequest, message: object, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(message),
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(CHALLENGE_MS)]),
  });
  await response.body?.cancel();
  return response;
}
