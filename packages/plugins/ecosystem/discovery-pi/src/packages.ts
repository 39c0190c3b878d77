/** Packages of pi and oh-my-pi, where their installers put them. They are never installed from here. */
import { join, resolve } from 'node:path';
import * as d from '@tenon/discovery/api';

const { inside } = d;
const FILTERED = ['extensions', 'skills', 'prompts', 'themes'] as const;

/** All packages: installed plugins of oh-my-pi, its npm folder, and what pi's settings name. */
export async function readPackages(search: d.Search<d.Bundle>, roots: d.Roots): Promise<void> {
  for (const place of search.places({ user: '.omp/plugins', project: '.omp/plugins' })) {
    await d.readInstalledPlugins(search, inside(place, 'installed_plugins.json'), () => undefined);
    await readNodeModules(search, inside(place, 'node_modules'));
  }
  for (const place of search.places(roots)) {
    const file = inside(place, 'settings.json');
    const packages = (await search.record(file, 'json'))?.['packages'];
    if (packages === undefined) continue;
    if (Array.isArray(packages)) for (const given of packages as unknown[]) await readNamed(search, file, place, given);
    else search.wrong(file, '"packages" must be a list');
  }
}

async function readNodeModules(search: d.Search<d.Bundle>, folder: d.Place): Promise<void> {
  for (const { name, path } of await search.list(folder)) {
    if (name.startsWith('.')) continue;
    if (name.startsWith('@')) await readNodeModules(search, { ...folder, path });
    else await d.readBundle(search, { ...folder, path }, { format: 'pi' });
  }
}

async function readNamed(search: d.Search<d.Bundle>, file: d.Place, place: d.Place, given: unknown): Promise<void> {
  const source = d.isRecord(given) ? given['source'] : given;
  if (typeof source !== 'string' || source.length > 500)
    return search.wrong(file, 'a package must be a text or have a "source"');
  const path = folderOf(search, place, source);
  if (path === undefined) return search.wrong(file, `the package "${source}" cannot be understood`);
  const filter = d.isRecord(given)
    ? Object.fromEntries(FILTERED.flatMap((field) => (Array.isArray(given[field]) ? [[field, given[field]]] : [])))
    : {};
  const more = Object.keys(filter).length > 0 ? { more: { filter } } : {};
  const isThere = await d.readBundle(search, { ...place, path }, { format: 'pi', fallback: 'pi', ...more });
  if (!isThere) search.wrong(file, `the package "${source}" is not installed (${path} is not there)`);
}

/** Where pi installs a package of this kind. */
function folderOf(search: d.Search<d.Bundle>, place: d.Place, source: string): string | undefined {
  if (source.startsWith('npm:')) {
    const name = /^npm:((?:@[\w.-]+\/)?[\w.-]+)(?:@.+)?$/.exec(source)?.[1];
    return name === undefined || name.startsWith('.') ? undefined : join(place.path, 'npm', 'node_modules', name);
  }
  const git =
    /^(?:git:)?(?:(?:https?|ssh|git):\/\/)?(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+)[/:]([\w./-]+?)(?:\.git)?(?:@.+)?$/;
  if (source.startsWith('git:') || source.includes('://')) {
    const [, host, path] = git.exec(source) ?? [];
    return host === undefined || path === undefined || path.includes('..')
      ? undefined
      : join(place.path, 'git', host, path);
  }
  return source.startsWith('~/') ? search.fromHome(source) : resolve(place.path, source);
}
