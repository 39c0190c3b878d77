/** Which modules there are for a folder: what discovery found, what the settings name, and what the command line names. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from 'node:path';
import { isBelow, isInside } from '@tenon/host';
import {
  type Discovered,
  type Discovery,
  type ExtensionModule,
  extensionModules,
  type HookModule,
  hookModules,
  type ToolModule,
  toolModules,
} from '@tenon/discovery/api';
import { messageOf, type Slot, TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { ModuleKind } from '../protocol.ts';
import { isNpmPackage, npmPackage } from './npm-packages.ts';

/** A module that can be loaded. */
export interface FoundModule {
  readonly kind: ModuleKind;
  readonly name: string;
  /** The real path. */
  readonly file: string;
  /** What comes with the project runs only where the project is trusted. */
  readonly level: 'user' | 'project';
  /** For those of a project: the folder that must be trusted before they run. It can lie above the working folder. */
  readonly project?: string;
  /** Where it was found: a family of discovery, `settings`, or `command line`. */
  readonly from: string;
  readonly bundle?: string;
}

/** What the user asks for beside what is discovered. */
export interface WantedModules {
  /** Paths of the setting `pi-compat.extensions`. */
  readonly configured: readonly string[];
  /** Paths of the command line. */
  readonly named: readonly string[];
  /** False with --no-extensions: nothing is looked for. */
  readonly discover: boolean;
}

const CODE = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.tsx', '.jsx']);
const MAX_MANIFEST = 1024 * 1024;

/** Finds the modules for a folder, each once, in the order in which they are loaded. Nothing is run. */
export async function findModules(
  discovery: Discovery | undefined,
  wanted: WantedModules,
  place: { readonly cwd: string; readonly home: string; readonly cache: string },
  signal?: AbortSignal,
): Promise<{ readonly modules: readonly FoundModule[]; readonly problems: readonly TenonError[] }> {
  const collected: FoundModule[] = [];
  const problems: TenonError[] = [];
  const load = async <V extends ExtensionModule | HookModule | ToolModule>(slot: Slot<V>, kind: ModuleKind) => {
    if (!discovery || !wanted.discover) return;
    const { items, problems: broken } = await discovery.load(slot, place.cwd, signal);
    problems.push(...broken);
    for (const item of items)
      if (CODE.has(extname(item.value.path))) collected.push(discoveredModule(item, place.cwd, kind));
  };
  await load(extensionModules, 'extension');
  await load(hookModules, 'hook');
  await load(toolModules, 'tool');
  const named = [
    ...wanted.named.map((path) => ({ path, from: 'command line', isUser: true })),
    // A relative path means another file in every project: what it leads to is the project's.
    ...wanted.configured.map((path) => ({ path, from: 'settings', isUser: isAbsolute(path) || path.startsWith('~') })),
  ];
  for (const { path, from, isUser } of named) {
    try {
      // Only where the user asks for it now: a project must not have packages installed.
      const isPackage = from === 'command line' && isNpmPackage(path);
      for (const file of entriesAt(isPackage ? await npmPackage(path, place) : path, place)) {
        const owner = isUser
          ? { level: 'user' as const }
          : { level: 'project' as const, project: projectOf(file, place.cwd) };
        collected.push({ kind: 'extension', name: nameOf(file), file, from, ...owner });
      }
    } catch (fault) {
      const isTold = fault instanceof TenonError;
      problems.push(isTold ? fault : errors.create('PI_COMPAT_NOT_FOUND', { path, reason: messageOf(fault) }, fault));
    }
  }
  const seen = new Set<string>();
  const modules = collected.flatMap((module) => {
    const file = realOf(module.file);
    if (file === undefined || seen.has(file)) return [];
    seen.add(file);
    return [{ ...module, file }];
  });
  return { modules: distinctNames(modules), problems };
}

function discoveredModule(
  item: Discovered<ExtensionModule | HookModule | ToolModule>,
  cwd: string,
  kind: ModuleKind,
): FoundModule {
  const { value, level, family, bundle, project = projectOf(value.path, cwd) } = item;
  return {
    kind,
    name: nameOf(value.path),
    file: value.path,
    level,
    from: family,
    ...(level === 'project' && { project }),
    ...(bundle !== undefined && { bundle }),
  };
}

/** The folder that is trusted with a file: the one that is worked in, when the file lies there. */
function projectOf(file: string, cwd: string): string {
  return isBelow(file, cwd) ? cwd : dirname(file);
}

/** The entries of a path that the user names: a file, a package, or a folder of extensions. */
export function entriesAt(path: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string[] {
  const normal = path.replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ');
  const expanded = normal === '~' || normal.startsWith('~/') ? join(home, normal.slice(1)) : normal;
  const full = resolve(cwd, expanded);
  if (!statSync(full).isDirectory()) {
    if (!CODE.has(extname(full))) throw new Error('it is not TypeScript or JavaScript');
    return [full];
  }
  const own = packageEntries(full);
  const files = own.length > 0 ? own : modulesIn(full);
  if (files.length === 0) throw new Error('the folder holds no extension');
  return files;
}

/** What a package's manifest declares, its index, or what lies in its folder `extensions`. */
function packageEntries(folder: string): string[] {
  const file = join(folder, 'package.json');
  const isPackage = existsSync(file) && statSync(file).size <= MAX_MANIFEST;
  if (isPackage) {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { extensions?: unknown } | undefined>;
    const declared = manifest['omp']?.extensions ?? manifest['pi']?.extensions;
    if (Array.isArray(declared)) return declaredEntries(folder, declared.map(String));
  }
  const index = indexIn(folder);
  if (index !== undefined) return [index];
  return isPackage && existsSync(join(folder, 'extensions')) ? modulesIn(join(folder, 'extensions')) : [];
}

/** Paths, folders and names with `*`; those after a `!` are left out. None may lead out of the package. */
function declaredEntries(folder: string, declared: readonly string[]): string[] {
  const [wanted, unwanted] = [
    declared.filter((entry) => !entry.startsWith('!')),
    declared.filter((entry) => entry.startsWith('!')),
  ];
  const matched = (entry: string): string[] => {
    const target = resolve(folder, entry);
    if (!isBelow(target, folder)) return [];
    if (entry.includes('*')) {
      if (!existsSync(dirname(target)) || dirname(target).includes('*')) return [];
      const name = new RegExp(
        `^${basename(target)
          .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
          .replaceAll('*', '[^/]*')}$`,
      );
      return modulesIn(dirname(target)).filter((file) => name.test(basename(file)));
    }
    if (!existsSync(target)) return [];
    return statSync(target).isDirectory() ? modulesIn(target) : [target];
  };
  const left = new Set(unwanted.flatMap((entry) => matched(entry.slice(1))));
  return [...new Set(wanted.flatMap(matched))].filter((file) => !left.has(file));
}

/** The index of a folder, or every module in it and one level below. */
function modulesIn(folder: string): string[] {
  const index = indexIn(folder);
  if (index !== undefined) return [index];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const inside = join(folder, entry.name);
    if (isModule(entry.name)) return [inside];
    return statSync(inside).isDirectory() ? packageEntries(inside) : [];
  });
}

function indexIn(folder: string): string | undefined {
  return ['index.ts', 'index.js'].map((name) => join(folder, name)).find((path) => existsSync(path));
}

function isModule(name: string): boolean {
  return ['.ts', '.js'].includes(extname(name)) && !/\.(?:d|test|spec)\.[jt]s$/.test(name);
}

/** `/x/foo.ts` is foo, `/x/bar/index.ts` is bar; `src` and its like say nothing, so the folder above counts. */
export function nameOf(file: string): string {
  const stem = basename(file, extname(file));
  if (stem !== 'index' && stem !== 'main' && stem !== 'extension') return stem;
  let folder = dirname(file);
  while (['src', 'dist', 'lib', 'build', 'extensions'].includes(basename(folder)) && dirname(folder) !== folder)
    folder = dirname(folder);
  return basename(folder) || stem;
}

/** Names are what people type, so each must mean one module. */
function distinctNames(modules: readonly FoundModule[]): FoundModule[] {
  const counts = new Map<string, number>();
  return modules.map((module) => {
    const count = (counts.get(module.name) ?? 0) + 1;
    counts.set(module.name, count);
    return count === 1 ? module : { ...module, name: `${module.name}-${count}` };
  });
}

/**
 * The folders that a module's code lies in, for the sandbox: its package, or the folder of a single file, and the
 * `node_modules` that its package shares with others. Never a folder that holds more than code.
 */
export function codeFolders(file: string, place: { readonly cwd: string; readonly home: string }): string[] {
  const root = packageRoot(file, place.home) ?? dirname(file);
  const isTooMuch = [place.home, sep].some((folder) => realOf(folder) === root) || isInside(place.home, root);
  const own = isTooMuch ? [file, join(root, 'node_modules')] : [root];
  const shared = root.split(sep).lastIndexOf('node_modules');
  const above =
    shared === -1
      ? []
      : [
          root
            .split(sep)
            .slice(0, shared + 1)
            .join(sep),
        ];
  return [...own, ...above].filter((path) => existsSync(path));
}

function packageRoot(file: string, home: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder) && folder !== home; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (['extensions', 'hooks', 'tools', 'node_modules'].includes(basename(folder))) return undefined;
  }
  return undefined;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // It is gone, or was never there: then there is nothing to load.
  }
}
