import { definePlugin } from '@tenon/kernel';
import { urlRouter, urlSchemes, type UrlSchemeData } from './api.ts';
import { errors } from './errors.ts';

/** The slot for URL schemes and the router over it. */
export default definePlugin({
  id: 'urls',
  defines: [urlSchemes, urlRouter],
  activate(ctx) {
    const registry = ctx.read(urlSchemes);
    const schemeOf = (text: string) => {
      const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
      return scheme !== undefined && registry.get(scheme) ? scheme : undefined;
    };
    const owner = async (url: string) => {
      const scheme = schemeOf(url);
      if (scheme === undefined) {
        const known = registry.list().map(({ key }) => key);
        throw errors.create('URLS_NO_SCHEME', { url, schemes: known.length > 0 ? known : 'none is there' });
      }
      return { scheme, value: await registry.resolve(scheme) };
    };
    ctx.provide(urlRouter, {
      schemeOf,
      async read(url, signal) {
        const { value } = await owner(url);
        return value.read(url, { signal });
      },
      async write(url, content, signal) {
        const { scheme, value } = await owner(url);
        if (!value.write) throw errors.create('URLS_READ_ONLY', { url, scheme });
        await value.write(url, content, { signal });
      },
      list: () => registry.list().map(({ key, data }) => ({ scheme: key, ...(data as UrlSchemeData) })),
    });
  },
});
