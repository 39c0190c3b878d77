/** What a plugin is, from its own manifest and its entry in the catalogue; part of its fingerprint. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { Bundle } from '@tenon/discovery/api';
import { type CatalogueEntry, COMPONENTS } from '../catalogue/catalogue.ts';
import { errors } from '../errors.ts';
import type { FileRecord } from '../tree/file-list.ts';

/** What a plugin is. */
export interface Definition {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** How it is offered to discovery; absent for a pack that is nothing else. */
  readonly format?: Bundle['format'];
  /** What discovery reads it by. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** True for a pack: a package.json with a `tenon` section. */
  readonly isPack: boolean;
  /** What an npm package would run or install, and Tenon does not. */
  readonly notRun: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_MANIFEST = 1024 * 1024;
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/** Works it out. `fallback` is the version of a plugin that says none. */
export async function defineFrom(
  id: string,
  entry: CatalogueEntry,
  folder: string,
  files: readonly FileRecord[],
  fallback: string,
): Promise<Definition> {
  const invalid = (reason: string) => errors.create('MARKETPLACE_PLUGIN_INVALID', { plugin: id, reason });
  const read = async (path: string): Promise<Fields | undefined> => {
    const file = files.find((candidate) => candidate.path === path);
    if (file === undefined) return undefined;
    if (file.size > MAX_MANIFEST) throw invalid(`${path} is larger than 1 MB`);
    try {
      const content: unknown = JSON.parse((await readFile(join(folder, path), 'utf8')).replace(/^\uFEFF/, ''));
      if (isFields(content)) return content;
    } catch (fault) {
      throw invalid(`${path} is not valid JSON (${messageOf(fault)})`);
    }
    throw invalid(`${path} holds no object`);
  };
  const [claude, codex, gemini, npm] = [
    await read('.claude-plugin/plugin.json'),
    await read('.codex-plugin/plugin.json'),
    await read('gemini-extension.json'),
    await read('package.json'),
  ];
  const isPack = npm !== undefined && 'tenon' in npm;
  const missing = npm ? missingPackages(npm, files) : [];
  // The code of a pack is loaded where nothing else is: it would fail at its first use.
  if (isPack && missing.length > 0)
    throw invalid(
      `it needs npm packages that it does not bring (${listText(missing)}), and none are installed for it; its author has to bundle them ("bundleDependencies" in package.json) or build them into its code`,
    );
  const isPi = npm !== undefined && (isFields(npm['pi']) || isFields(npm['omp']));
  const format = claude ? 'claude' : codex ? 'codex' : gemini ? 'gemini' : isPi ? 'pi' : 'claude';
  const own = { claude, codex, gemini, pi: npm }[format] ?? {};
  const hasEntryParts = Object.keys(entry.components).length > 0;
  const manifest = format === 'claude' || format === 'codex' ? joined(own, entry, invalid) : own;
  const version = [own['version'], entry.version, npm?.['version']].find(
    (item) => typeof item === 'string' && item !== '',
  );
  return {
    id,
    name: entry.name,
    version:
      String(version ?? fallback)
        .replaceAll(/[\p{C}\s]/gu, '')
        .slice(0, 100) || fallback,
    // A pack may be a bundle too, if it says so.
    ...((!isPack || claude || codex || gemini || isPi || hasEntryParts) && { format }),
    manifest,
    isPack,
    notRun: npm ? notRunOf(npm, missing) : [],
  };
}

/** The plugin's manifest and its entry as one. In strict mode both count; otherwise the entry alone says what is inside. */
function joined(
  own: Fields,
  { strict, components, description }: CatalogueEntry,
  invalid: (reason: string) => Error,
): Fields {
  const declared = COMPONENTS.filter((key) => own[key] !== undefined);
  if (!strict && declared.length > 0 && Object.keys(components).length > 0)
    throw invalid(
      `its own manifest and its catalogue ("strict": false) both say what is inside (${declared.join(', ')})`,
    );
  const parts = COMPONENTS.flatMap((key) => {
    const [mine, theirs] = [own[key], components[key]];
    if (theirs === undefined) return [];
    return [[key, mine === undefined ? theirs : both(key, mine, theirs, invalid)] as const];
  });
  return { ...(description !== undefined && { description }), ...own, ...Object.fromEntries(parts) };
}

function both(key: string, mine: unknown, theirs: unknown, invalid: (reason: string) => Error): unknown {
  if (isFields(mine) && isFields(theirs)) {
    const [ours, others] = [unwrapped(key, mine), unwrapped(key, theirs)];
    return key === 'hooks' ? joinedHooks(ours, others) : { ...others, ...ours };
  }
  const isMap = key === 'commands' || key === 'agents' || key === 'skills';
  if (isMap && isFields(mine) !== isFields(theirs))
    throw invalid(`its manifest and its catalogue write "${key}" differently`);
  return [mine, theirs].flat();
}

/** `{ "hooks": { … } }` means the same as what is inside. */
function unwrapped(key: string, value: Fields): Fields {
  const inner = value[key];
  return isFields(inner) ? inner : value;
}

/** All hooks of an event, whoever names them. */
function joinedHooks(mine: Fields, theirs: Fields): Fields {
  const events = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  return Object.fromEntries([...events].map((event) => [event, [mine[event] ?? [], theirs[event] ?? []].flat()]));
}

/** Packages that the code may import and that are neither among the files nor Tenon's own. */
function missingPackages(npm: Fields, files: readonly FileRecord[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  return Object.keys(isFields(npm['dependencies']) ? npm['dependencies'] : {}).filter(
    (name) => !/^@(?:tenon|types)\//.test(name) && !paths.has(`node_modules/${name}/package.json`),
  );
}

function listText(names: readonly string[]): string {
  return `${names.slice(0, 10).join(', ')}${names.length > 10 ? '…' : ''}`;
}

function notRunOf(npm: Fields, missing: readonly string[]): string[] {
  const scripts = isFields(npm['scripts']) ? npm['scripts'] : {};
  const names = INSTALL_SCRIPTS.filter((name) => typeof scripts[name] === 'string');
  return [
    ...names.map((name) => `its ${name} script is not run`),
    ...(missing.length > 0 ? [`its npm dependencies are not installed (${listText(missing)})`] : []),
  ];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
