/** URLs among the paths of a searching tool: the files behind them are looked into. */
import { touchedTargets } from '@tenon/file-tools/api';
import { displayPath, type Touches } from '@tenon/tools/api';
import type { UrlCall, UrlRouter } from '@tenon/urls/api';
import { errors } from './errors.ts';

/** Paths without URLs, and how the files behind them are shown. */
export interface SearchPaths {
  readonly paths: readonly string[];
  /** A file as results name it: by the URL that it was found through, or by its path. */
  show(path: string): string;
  /** True for files that cannot be edited: their lines are numbered, but have no anchors. */
  isReadOnly(path: string): boolean;
}

/** What looking into `paths` touches. Where a URL leads is a matter of its scheme, which keeps to its own folder. */
export function searchTouches(given: unknown, cwd: string, router: Pick<UrlRouter, 'schemeOf'>): Touches {
  const paths = (Array.isArray(given) ? given : []).filter(
    (path) => router.schemeOf(urlIn(String(path))) === undefined,
  );
  return { searches: touchedTargets(paths, cwd) };
}

function urlIn(path: string): string {
  return path.trim().replaceAll(/^["']|["']$/g, '');
}

/** Takes the URLs out of `paths`. One that no file stands behind, or with a glob, is an error. */
export async function searchPaths(
  given: readonly string[],
  cwd: string,
  router: Pick<UrlRouter, 'schemeOf' | 'locate' | 'list'>,
  call: UrlCall,
): Promise<SearchPaths> {
  const urls = new Map<string, { readonly url: string; readonly isReadOnly: boolean }>();
  const paths: string[] = [];
  for (const path of given) {
    const url = urlIn(path);
    const scheme = router.schemeOf(url);
    if (scheme === undefined) {
      paths.push(path);
      continue;
    }
    if (/[*?[{]/.test(url.replace(/^\w+:\/\/[^?]*\?/, ''))) throw errors.create('SEARCH_TOOLS_URL_GLOB', { url });
    const file = await router.locate(url, call);
    if (file === undefined) throw errors.create('SEARCH_TOOLS_URL_NO_FILE', { url });
    const isReadOnly = router.list().some((handler) => handler.scheme === scheme && handler.immutable === true);
    urls.set(file, { url, isReadOnly });
    paths.push(file);
  }
  return {
    paths,
    show: (path) => urls.get(path)?.url ?? displayPath(cwd, path),
    isReadOnly: (path) => urls.get(path)?.isReadOnly ?? false,
  };
}
