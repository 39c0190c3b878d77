/** Finds bundles where tools install them. */
import { basename, resolve } from 'node:path';
import type { Bundle } from '../kinds.ts';
import { Fields } from '../fields.ts';
import { inside, isRecord, type Origin, type Search } from '../search.ts';

const MANIFESTS: readonly (readonly [Bundle['format'], string])[] = [
  ['claude', '.claude-plugin/plugin.json'],
  ['codex', '.codex-plugin/plugin.json'],
  ['gemini', 'gemini-extension.json'],
];

/** What is known about a bundle before its folder is looked at. */
export interface BundleHints {
  readonly name?: string;
  /** Taken instead of what the folder looks like. */
  readonly format?: Bundle['format'];
  /** The format of a folder that has no manifest; without one it is no bundle. */
  readonly fallback?: Bundle['format'];
  /** Why the tool itself would not use it. */
  readonly ignored?: string;
  /** Added to the manifest. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Adds the bundle that a folder is, by the manifest that it holds. */
export async function readBundle(search: Search<Bundle>, folder: Origin, hints: BundleHints = {}): Promise<boolean> {
  const source = await manifestIn(search, folder, hints);
  if (!source) return false;
  const { format, file, manifest } = source;
  const name =
    hints.name ?? new Fields(manifest, (what) => search.wrong(file, what)).text('name') ?? basename(folder.path);
  search.add({
    key: name,
    value: { name, folder: folder.path, format, level: folder.level, manifest: { ...manifest, ...hints.more } },
    place: search.files.look(file.path).stamp ? file : folder,
    ...(hints.ignored !== undefined && { ignored: hints.ignored }),
  });
  return true;
}

/** Adds the bundles that the entries of a folder are. */
export async function readBundles(search: Search<Bundle>, folder: Origin, hints: BundleHints = {}): Promise<void> {
  for (const { name, path } of await search.list(folder))
    if (!name.startsWith('.')) await readBundle(search, { ...folder, path }, hints);
}

interface FoundManifest {
  readonly format: Bundle['format'];
  readonly file: Origin;
  readonly manifest: Bundle['manifest'];
}

async function manifestIn(
  search: Search<Bundle>,
  folder: Origin,
  hints: BundleHints,
): Promise<FoundManifest | undefined> {
  for (const [format, name] of MANIFESTS) {
    if (hints.format !== undefined && hints.format !== format) continue;
    const file = inside(folder, name);
    if (!search.isThere(file)) continue;
    const manifest = await search.record(file, 'json');
    // A damaged manifest was reported; guessing what the rest of the folder means would not help anybody.
    return manifest && { format, file, manifest };
  }
  const file = inside(folder, 'package.json');
  const mayBePi = hints.format === undefined || hints.format === 'pi';
  const manifest = mayBePi && search.isThere(file) ? await search.record(file, 'json') : undefined;
  if (manifest && (isRecord(manifest['omp']) || isRecord(manifest['pi']))) return { format: 'pi', file, manifest };
  const fallback = hints.fallback;
  if (fallback === undefined || search.files.look(folder.path).stamp?.type !== 'folder') return undefined;
  return { format: fallback, file: folder, manifest: manifest ?? {} };
}

/** `installed_plugins.json`, as Claude Code and oh-my-pi write it: `name@marketplace` -> where it was installed, for whom. */
export async function readInstalledPlugins(
  search: Search<Bundle>,
  file: Origin,
  refuse: (id: string) => string | undefined,
): Promise<void> {
  const record = await search.record(file, 'json');
  if (!record) return;
  const { plugins } = record;
  if (!isRecord(plugins))
    return plugins === undefined ? undefined : search.wrong(file, '"plugins" must be an object by name');
  for (const [id, installs] of Object.entries(plugins)) {
    for (const install of [installs].flat() as unknown[]) {
      const path = isRecord(install) ? install['installPath'] : undefined;
      if (!isRecord(install) || typeof path !== 'string') {
        search.wrong(file, `the plugin "${id}" has no "installPath"`);
        continue;
      }
      const { scope, projectPath } = install;
      const isOfProject = scope === 'project' || scope === 'local' || file.level === 'project';
      const isElsewhere = typeof projectPath === 'string' && !search.project.folders.includes(resolve(projectPath));
      const folder: Origin = { path: resolve(file.path, '..', path), level: isOfProject ? 'project' : 'user' };
      const elsewhere = isElsewhere ? `it is installed for ${projectPath}` : undefined;
      const ignored = elsewhere ?? refuse(id);
      const name = id.split('@')[0];
      const hints = { fallback: 'claude' as const, ...(name && { name }), ...(ignored !== undefined && { ignored }) };
      if (!(await readBundle(search, folder, hints))) search.wrong(file, `the plugin "${id}" is not in ${folder.path}`);
    }
  }
}
