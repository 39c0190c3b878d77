/** Goes through the proxy that the environment names. Node 20's own fetch does not. */

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The global fetch, or one that honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY when they are set. */
export async function environmentFetch(url: string, init: RequestInit): Promise<Response> {
  const { protocol, hostname } = new URL(url);
  const names = protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  if (LOOPBACK.test(hostname) || !names.some((name) => process.env[name])) return fetch(url, init);
  return (await import('./undici.ts')).proxiedFetch(url, init);
}
