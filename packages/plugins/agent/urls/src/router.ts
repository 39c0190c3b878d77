import type { Registry } from '@tenon/kernel';
import type { UrlRouter, UrlScheme, UrlSchemeData } from './api.ts';
import { errors } from './errors.ts';

/** The way from a URL to whoever owns its scheme. */
export function createRouter(registry: Registry<UrlScheme>): UrlRouter {
  const schemeOf = (text: string) => {
    const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
    return scheme !== undefined && registry.get(scheme) ? scheme : undefined;
  };
  const owner = async (url: string) => {
    const scheme = schemeOf(url);
    if (scheme === undefined) {
      const known = registry
        .list()
        .map(({ key }) => key)
        .sort();
      throw errors.create('URLS_NO_SCHEME', { url, schemes: known.length > 0 ? known : 'none is there' });
    }
    return { scheme, value: await registry.resolve(scheme) };
  };
  return {
    schemeOf,
    async read(url, call) {
      const { value } = await owner(url);
      return value.read(url, call);
    },
    async write(url, content, call) {
      const { scheme, value } = await owner(url);
      if (!value.write) throw errors.create('URLS_READ_ONLY', { url, scheme });
      await value.write(url, content, call);
    },
    async locate(url, call) {
      const { value } = await owner(url);
      return value.locate?.(url, call);
    },
    list: () =>
      registry
        .list()
        .map(({ key, data }) => ({ scheme: key, ...(data as UrlSchemeData) }))
        .sort((a, b) => (a.scheme < b.scheme ? -1 : 1)),
  };
}
