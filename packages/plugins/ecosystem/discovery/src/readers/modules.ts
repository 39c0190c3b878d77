/** Modules of pi and oh-my-pi: where they are, never what they do. */
import { basename, dirname, extname, join, resolve } from 'node:path';
import { isInside } from '@tenon/host';
import type { ExtensionModule, HookModule, ThemeFile, ToolModule } from '../kinds.ts';
import { inside, isRecord, type Origin, type Search } from '../search.ts';

const MODULES = ['.ts', '.mts', '.js', '.mjs', '.cjs'];
/** `*.d.ts` and tests are no modules that anybody wants to run. */
const NO_MODULE = /\.(?:d\.[cm]?ts|test\.[cm]?[jt]s|spec\.[cm]?[jt]s)$/;

function isModule(name: string): boolean {
  return MODULES.includes(extname(name)) && !NO_MODULE.test(name);
}

/** `/x/foo.ts` is foo, `/x/bar/index.ts` is bar. */
export function moduleName(path: string): string {
  const name = basename(path, extname(path));
  return name === 'index' ? basename(dirname(path)) : name;
}

/** The modules that a folder holds: by its package.json, its index, or one by one. */
export async function readExtensions(search: Search<ExtensionModule>, folder: Origin): Promise<void> {
  if (await addPackage(search, folder)) return;
  for (const { name, path } of await search.list(folder)) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    const place = { ...folder, path };
    const { stamp, problem } = search.files.look(path);
    search.report(problem);
    if (stamp?.type === 'folder') await addPackage(search, place);
    else if (stamp?.type === 'file' && isModule(name)) addExtension(search, place);
  }
}

/** One extension by its path: a module, or a folder with one. */
export async function readExtension(search: Search<ExtensionModule>, place: Origin): Promise<void> {
  const { stamp, problem } = search.files.look(place.path);
  search.report(problem);
  if (!stamp) return problem ? undefined : search.wrong(place, 'an extension is named here that is not there');
  if (stamp.type === 'folder') return readExtensions(search, place);
  addExtension(search, place);
}

/** A folder with `omp.extensions` or `pi.extensions` in its package.json, or with an index. */
async function addPackage(search: Search<ExtensionModule>, folder: Origin): Promise<boolean> {
  const declared = await declaredIn(search, folder, 'extensions');
  if (declared) {
    for (const place of declared) addExtension(search, place, folder.path);
    return true;
  }
  for (const name of ['index.ts', 'index.js', 'index.mjs']) {
    const place = inside(folder, name);
    if (search.files.look(place.path).stamp?.type !== 'file') continue;
    addExtension(search, place, folder.path);
    return true;
  }
  return false;
}

function addExtension(search: Search<ExtensionModule>, place: Origin, folder?: string): void {
  const name = moduleName(place.path);
  search.add({ key: name, value: { name, path: place.path, ...(folder !== undefined && { folder }) }, place });
}

/** What a package's manifest (`omp`, or `pi` as it used to be) names; nothing when it says nothing about it. */
export async function declaredIn(
  search: Search<never> | Search<ExtensionModule> | Search<ToolModule> | Search<HookModule> | Search<ThemeFile>,
  folder: Origin,
  field: string,
): Promise<readonly Origin[] | undefined> {
  const file = inside(folder, 'package.json');
  if (!search.isThere(file)) return undefined;
  const manifest = await search.record(file, 'json');
  const section = [manifest?.['omp'], manifest?.['pi']].find((part) => isRecord(part) && part[field] !== undefined);
  if (!isRecord(section)) return undefined;
  const value = section[field];
  const names = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) {
    search.wrong(file, `"${field}" must be a list of paths`);
    return [];
  }
  const places: Origin[] = [];
  for (const name of names as string[]) {
    const path = resolve(folder.path, name);
    const isOutside = !isInside(path, folder.path);
    if (isOutside) search.wrong(file, `"${name}" leads out of the package`);
    else if (!search.files.look(path).stamp) search.wrong(file, `"${name}" is not there`);
    else places.push({ ...folder, path });
  }
  return places;
}

/** Tools of a folder: modules, and folders with an index. */
export async function readTools(search: Search<ToolModule>, folder: Origin): Promise<void> {
  await eachModule(search, folder, (place) => {
    const name = moduleName(place.path);
    search.add({ key: name, value: { name, path: place.path }, place });
  });
}

/** Hooks of pi and oh-my-pi: modules in `pre` and `post`, and directly in the folder. */
export async function readHookModules(search: Search<HookModule>, folder: Origin): Promise<void> {
  for (const type of ['pre', 'post', '']) {
    await eachModule(search, inside(folder, type), (place) => {
      const name = type === '' ? moduleName(place.path) : `${type}:${moduleName(place.path)}`;
      search.add({ key: name, value: { name, path: place.path }, place });
    });
  }
}

async function eachModule(search: Search<ToolModule>, folder: Origin, add: (place: Origin) => void): Promise<void> {
  for (const { name, path } of await search.list(folder)) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    const { stamp, problem } = search.files.look(path);
    search.report(problem);
    if (stamp?.type === 'file' && isModule(name)) add({ ...folder, path });
    if (stamp?.type !== 'folder') continue;
    const index = ['index.ts', 'index.js', 'index.mjs']
      .map((file) => join(path, file))
      .find((file) => search.files.look(file).stamp?.type === 'file');
    if (index !== undefined) add({ ...folder, path: index });
  }
}

/** Themes of a folder: JSON files. */
export async function readThemes(search: Search<ThemeFile>, folder: Origin): Promise<void> {
  for (const { name, path } of await search.list(folder)) {
    if (name.startsWith('.') || !name.endsWith('.json')) continue;
    const theme = basename(name, '.json');
    search.add({ key: theme, value: { name: theme, path }, place: { ...folder, path } });
  }
}
