/** Which modules of OpenCode there are for a folder, where their code is, and whether they are loaded. Nothing is run here. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Discovered, type OpencodeModule, opencodeModules } from '@tenon/discovery/api';
import { isBelow } from '@tenon/host';
import type { Permissions, TenonError } from '@tenon/kernel';
import { mergePermissions } from '@tenon/pack-host/api';
import type { ProjectProgram } from '@tenon/trust/api';
import { errors } from '../errors.ts';
import { readRecords, type Trust } from './records.ts';
import type { Services } from './services.ts';

/** A module and what is done with it. */
export interface PlannedModule {
  readonly kind: 'plugin' | 'tool';
  readonly name: string;
  /** The real path of its code. */
  readonly file: string;
  /** The file that says that it is there: a settings file, or its code. */
  readonly source: string;
  readonly level: 'user' | 'project';
  /** For those of a project: the folder that must be trusted before they run. */
  readonly project?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly trust: Trust;
  readonly permissions: Permissions;
  /** Why it is not loaded, if so. */
  readonly skipped?: string;
}

/** What there is for a folder. */
export interface Plan {
  readonly modules: readonly PlannedModule[];
  readonly problems: readonly TenonError[];
}

const MAX_MANIFEST = 1024 * 1024;
/** Files beside a module that trust holds for; with more, the folder is no place for plugins. */
const MAX_HELPERS = 200;
const CODE = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']);

/** Finds the modules for a folder, each once, in the order in which they are loaded. */
export async function planModules(services: Services, cwd: string): Promise<Plan> {
  const discovery = await services.discovery();
  if (!services.config.enabled || !discovery || (await services.noExtensions())) return { modules: [], problems: [] };
  const { items, problems: broken } = await discovery.load(opencodeModules, cwd);
  const records = readRecords(services.folders.data);
  const problems = [...broken];
  const modules = new Map<string, PlannedModule>();
  for (const item of items) {
    const code = codeOf(item, services.folders.home);
    if (code instanceof Error) problems.push(code);
    else if (!modules.has(code)) {
      const { kind, options } = item.value;
      const record = records[code];
      const isProject = item.level === 'project';
      modules.set(code, {
        kind,
        name: nameIn([...modules.values()], item.value),
        file: code,
        source: item.file,
        level: item.level,
        trust: isProject ? 'isolated' : (record?.trust ?? 'isolated'),
        permissions: mergePermissions(services.config.permissions, record?.granted),
        ...(isProject && { project: item.project ?? (isBelow(item.file, cwd) ? cwd : dirname(item.file)) }),
        ...(options && { options }),
        ...(record?.enabled === false && { skipped: 'it was switched off with `tenon opencode disable`' }),
      });
    }
  }
  return { modules: [...modules.values()], problems };
}

/** A name means one module: packages lose their version, and a second module of a name gets a number. */
function nameIn(others: readonly PlannedModule[], { name, package: named }: OpencodeModule): string {
  const isPath = named !== undefined && /^(?:file:|\.{0,2}\/|~)/.test(named);
  const base = named === undefined ? name : isPath ? basename(named, extname(named)) : packageName(named);
  let free = base;
  for (let count = 2; others.some((other) => other.name === free); count++) free = `${base}-${count}`;
  return free;
}

/** The file with the code of a module, or why there is none. */
function codeOf({ value, file: settings }: Discovered<OpencodeModule>, home: string): string | TenonError {
  const { package: named, name, path, kind } = value;
  const missing = (reason: string) => errors.create('OPENCODE_LOAD_FAILED', { kind, module: name, file: path, reason });
  if (named === undefined) return realOf(path) ?? missing('it is gone');
  if (/^(?:file:|\.{0,2}\/|~\/)/.test(named)) {
    const target = named.startsWith('file:') ? fileURLToPath(named) : named.replace(/^~\//, `${home}/`);
    const full = resolve(dirname(settings), target);
    const real = realOf(full);
    if (real === undefined) return missing(`${full} is not there`);
    return statSync(real).isDirectory() ? (packageEntry(real) ?? missing('the folder has no entry')) : real;
  }
  const folder = installedAt(packageName(named), dirname(settings), home);
  if (folder === undefined) {
    const details = { module: named, file: settings, folder: dirname(settings) };
    return errors.create('OPENCODE_PACKAGE_MISSING', details);
  }
  return packageEntry(folder) ?? missing('the package has no entry');
}

/** `@scope/name@1.2.3` is @scope/name. */
function packageName(named: string): string {
  return /^(@?[^@]+)(?:@.*)?$/.exec(named)?.[1] ?? named;
}

/** Where OpenCode or the user has installed a package. Tenon installs nothing because a settings file names it. */
function installedAt(name: string, settingsFolder: string, home: string): string | undefined {
  const cache = process.env['XDG_CACHE_HOME'];
  const caches = [cache && isAbsolute(cache) ? cache : join(home, '.cache')].map((root) => join(root, 'opencode'));
  const roots = [settingsFolder, join(settingsFolder, '.opencode'), join(home, '.config', 'opencode'), ...caches];
  return roots
    .map((root) => join(root, 'node_modules', name))
    .flatMap((folder) => realOf(folder) ?? [])
    .find((folder) => existsSync(join(folder, 'package.json')));
}

/** The entry of a package: for the server of OpenCode, else as Node finds it. */
function packageEntry(folder: string): string | undefined {
  const file = join(folder, 'package.json');
  const candidates: unknown[] = [];
  if (existsSync(file) && statSync(file).size <= MAX_MANIFEST) {
    const manifest = readManifest(file);
    const exported = manifest['exports'];
    const table = (typeof exported === 'object' && exported !== null ? exported : {}) as Record<string, unknown>;
    candidates.push(target(table['./server']), target(table['.'] ?? exported), manifest['module'], manifest['main']);
  }
  for (const path of [...candidates, 'index.ts', 'index.js']) {
    const full = typeof path === 'string' ? resolve(folder, path) : undefined;
    const real = full !== undefined && isBelow(full, folder) ? realOf(full) : undefined;
    if (real !== undefined && statSync(real).isFile()) return real;
  }
  return undefined;
}

function readManifest(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch {
    return {}; // a broken manifest declares nothing; the index may still be there
  }
}

function target(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  const conditions = entry as Record<string, unknown>;
  return target(conditions['import'] ?? conditions['default']);
}

/** The folders that a module's code lies in, for the sandbox. The folder of OpenCode's settings, which may hold keys, is not one. */
export function codeFolders({ file }: Pick<PlannedModule, 'file'>): readonly string[] {
  const parts = file.split(sep);
  const shared = parts.lastIndexOf('node_modules');
  if (shared !== -1) return [parts.slice(0, shared + 1).join(sep)];
  const own = dirname(file);
  const around = dirname(own);
  return [own, join(around, 'node_modules'), join(around, 'package.json')].filter((path) => existsSync(path));
}

/** What trust in a project holds for: the code of the module and what lies beside it, which it may import. */
export function programOf(module: PlannedModule): ProjectProgram {
  const { kind, name, file, source, options } = module;
  const files = [file, ...helpersOf(file)];
  return { name: `the OpenCode ${kind} ${name}`, file: source, definition: { file, options }, files };
}

function helpersOf(file: string): string[] {
  if (file.split(sep).includes('node_modules')) return [];
  const helpers: string[] = [];
  const visit = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (helpers.length >= MAX_HELPERS) return;
      if (entry.isDirectory() && entry.name !== 'node_modules') visit(path);
      else if (entry.isFile() && path !== file && CODE.has(extname(path))) helpers.push(path);
    }
  };
  visit(dirname(file));
  return helpers.sort();
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // It is gone, or was never there: then there is nothing to load.
  }
}
