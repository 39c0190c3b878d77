/** In a module of its own, because a dynamic import of a CommonJS package loses its named exports in the built program. */
import { EnvHttpProxyAgent, fetch as fetchOf } from 'undici';

const dispatcher = new EnvHttpProxyAgent();

/** A fetch through the proxy of the environment. */
export function proxiedFetch(url: string, init: RequestInit): Promise<Response> {
  const send = fetchOf as unknown as (url: string, init: unknown) => Promise<Response>;
  return send(url, { ...init, dispatcher });
}
