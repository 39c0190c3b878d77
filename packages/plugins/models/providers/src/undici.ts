/** In a module of its own, because a dynamic import of a CommonJS package loses its named exports in the built program. */
import { type Dispatcher, EnvHttpProxyAgent, fetch as fetchOf, request } from 'undici';

/** One for all requests: it keeps the tunnels through the proxy open. */
const dispatcher = new EnvHttpProxyAgent();

/** A fetch that honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
export const environmentFetch: typeof fetch = (input, init) => {
  const send = fetchOf as unknown as (input: unknown, init: unknown) => Promise<Response>;
  return send(input, { ...init, dispatcher });
};

/** A POST that honours them, too, with a stream of Node for its body. It waits without a limit: others watch it. */
export function environmentRequest(
  url: URL,
  options: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer; readonly signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  return request(url, { ...options, method: 'POST', dispatcher, headersTimeout: 0, bodyTimeout: 0 });
}
