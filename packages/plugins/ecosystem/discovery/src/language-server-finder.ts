import type { LanguageServerSource } from '@tenon/lsp/api';
import { type Discovery, lspServers } from './api.ts';

/** Gives the language servers that discovery finds to the plugin `lsp`. */
export function languageServerFinder(finder: Discovery): LanguageServerSource {
  return {
    async find(folder) {
      const { items } = await finder.load(lspServers, folder);
      // A pack must not decide what is started.
      const usable = items.filter(({ pack }) => pack === undefined);
      return usable.map(({ value: { name, path, ...data }, project }) => ({
        name,
        data,
        file: path,
        ofProject: project !== undefined,
      }));
    },
  };
}
