/** Goes through the proxy that the environment names. Node 20's own fetch does not. */

type Environment = Readonly<Record<string, string | undefined>>;

/** True when a request to this address goes through a proxy. This machine is never reached through one. */
export function needsProxy(url: URL, env: Environment): boolean {
  if (/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)) return false;
  const names = url.protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  return names.some((name) => env[name]);
}

/** The global fetch, or one that honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY when they matter. */
export const environmentFetch: typeof fetch = async (input, init) => {
  const address = input instanceof Request ? input.url : String(input);
  if (!needsProxy(new URL(address), process.env)) return fetch(input, init);
  const { environmentFetch: proxied } = await import('./undici.ts');
  return proxied(input, init);
};
