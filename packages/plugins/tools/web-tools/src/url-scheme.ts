import type { UrlScheme } from '@tenon/urls/api';
import type { WebReader } from './api.ts';

/** `http://` and `https://` for everything that takes an address. */
export function webScheme(reader: () => Promise<WebReader>): UrlScheme {
  return {
    async read(url, { signal, scope, raw }) {
      const page = await (
        await reader()
      ).read(url, {
        signal,
        ...(scope && { session: scope.session }),
        ...(raw !== undefined && { raw }),
      });
      const { text, bytes, contentType, finalUrl, method, title, notes } = page;
      const moved = finalUrl === page.url ? [] : [`Read from ${finalUrl}`];
      return {
        content: text,
        contentType,
        notes: [...moved, ...notes],
        details: { finalUrl, method, ...(title !== undefined && { title }) },
        ...(bytes && { bytes }),
      };
    },
  };
}
