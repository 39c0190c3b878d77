/** Which proxy a request goes through, by the usual variables. */

/** The proxy's address, or undefined when the request goes out directly. This machine is never asked through a proxy. */
export function proxyFor(url: URL, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const host = url.hostname.toLowerCase().replaceAll(/^\[|\]$/g, '');
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return undefined;
  const value = (name: string) => env[name.toLowerCase()] || env[name.toUpperCase()] || undefined;
  const proxy = (url.protocol === 'https:' ? value('https_proxy') : value('http_proxy')) ?? value('all_proxy');
  if (proxy === undefined || !/^https?:\/\//i.test(proxy)) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const isExempt = (value('no_proxy') ?? '').split(/[\s,]+/).some((entry) => {
    const [, name = '', only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (entry === '*') return true;
    return name !== '' && (only === undefined || only === port) && (host === name || host.endsWith(`.${name}`));
  });
  return isExempt ? undefined : proxy;
}
