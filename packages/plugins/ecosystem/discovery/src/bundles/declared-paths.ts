/** Paths that a bundle's manifest names. They stay inside the bundle. */
import { resolve } from 'node:path';
import { isInside } from '@tenon/host';
import { isRecord, type Origin, type Search } from '../search.ts';

/** The paths that a field of the manifest names, after those that are always read. */
export function declaredPaths<V>(
  search: Search<V>,
  bundle: Origin,
  manifestFile: Origin,
  declaration: unknown,
  ...usual: readonly string[]
): readonly Origin[] {
  const names = typeof declaration === 'string' ? [declaration] : Array.isArray(declaration) ? declaration : [];
  const paths = new Set(usual.map((name) => resolve(bundle.path, name)));
  for (const name of names as unknown[]) {
    if (typeof name !== 'string') continue;
    const path = resolve(bundle.path, name.replace(/^\$\{(?:CLAUDE_)?PLUGIN_ROOT\}\//, ''));
    if (!isInside(path, bundle.path)) search.wrong(manifestFile, `"${name}" leads out of the plugin`);
    else paths.add(path);
  }
  return [...paths].map((path) => ({ ...bundle, path }));
}

/** A field that is an object, or names files that hold one: every object with the file it came from. */
export async function declaredRecords<V>(
  search: Search<V>,
  bundle: Origin,
  manifestFile: Origin,
  declaration: unknown,
  ...usual: readonly string[]
): Promise<readonly { readonly place: Origin; readonly record: Readonly<Record<string, unknown>> }[]> {
  const list = Array.isArray(declaration) ? (declaration as unknown[]) : [declaration];
  const inline = list.filter(isRecord).map((record) => ({ place: manifestFile, record }));
  const places = declaredPaths(
    search,
    bundle,
    manifestFile,
    list.filter((entry) => typeof entry === 'string'),
    ...usual,
  );
  const files = await search.each(places, async (place) => ({ place, record: await search.record(place, 'json') }));
  return [...inline, ...files.flatMap(({ place, record }) => (record ? [{ place, record }] : []))];
}
