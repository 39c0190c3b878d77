/** The library that talks HTTP, loaded with the first question. */
import { EnvHttpProxyAgent, request } from 'undici';

export { request };

/** Connections, through the proxy of the environment where there is one. This machine is never asked through a proxy. */
export function openDispatcher(): EnvHttpProxyAgent {
  const exempt = process.env['no_proxy'] ?? process.env['NO_PROXY'] ?? '';
  return new EnvHttpProxyAgent({ noProxy: [exempt, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join(',') });
}
