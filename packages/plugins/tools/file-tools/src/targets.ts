/** The `paths` of searching tools: files, folders and globs, taken apart. */
import { lstat, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { errors } from './errors.ts';
import { cleanPath, resolvePath } from '@tenon/tools/api';
import { isUrl } from './read/url-view.ts';
import { destinationOf } from './write/destination.ts';

/** One thing to look into. */
export interface Target {
  /** Absolute: a folder, or one file. */
  readonly base: string;
  readonly kind: 'file' | 'directory';
  /** Which files of the folder, in the dialect of the scan accelerator; all when absent. */
  readonly glob?: string;
  /** As it was given. */
  readonly given: string;
}

/** What `paths` stand for. */
export interface Targets {
  readonly targets: readonly Target[];
  /** Given paths that do not exist. */
  readonly missing: readonly string[];
}

/** What looking into `paths` touches: each as it is written, and for a glob the folder that is walked. */
export function touchedTargets(given: unknown, cwd: string): string[] {
  const texts = (Array.isArray(given) ? given : []).filter((path) => typeof path === 'string');
  const places = normalPaths(texts).flatMap((path) => [resolvePath(cwd, path), globOf(path, cwd)?.base]);
  return [...new Set(places.filter((place) => place !== undefined))];
}

/**
 * Takes `paths` apart. Missing ones are tolerated as long as one exists. Targets may overlap: a file that is named is
 * looked into even where ignore rules hide it from a walk of the folder around it.
 */
export async function resolveTargets(given: readonly string[], cwd: string): Promise<Targets> {
  const paths = normalPaths(given);
  if (paths.length === 0 || paths.some((path) => cleanPath(path) === '')) throw errors.create('FILE_TOOLS_PATHS_EMPTY');
  const targets: Target[] = [];
  const missing: string[] = [];
  for (const path of new Set(paths)) {
    const target = await resolveTarget(path, cwd);
    if (target) targets.push(target);
    else missing.push(path);
  }
  if (targets.length === 0) throw errors.create('FILE_TOOLS_NOT_FOUND', { path: missing });
  return { targets, missing };
}

function normalPaths(given: readonly string[]): string[] {
  return sep === '\\' ? given.map((path) => path.replaceAll('\\', '/')) : [...given];
}

/** The folder that a glob begins in and the rest of it; undefined for what is no glob. */
function globOf(given: string, cwd: string): { base: string; glob: string } | undefined {
  const segments = cleanPath(given).split('/');
  const first = segments.findIndex((segment) => /[*?[{]/.test(segment));
  if (first < 0) return undefined;
  const base = first === 0 ? cwd : resolvePath(cwd, segments.slice(0, first).join('/') || '/.');
  const rest = segments.slice(first).join('/');
  // Alone, `*.ts` means all of them; in `src/*.ts` it means those in that folder.
  return { base, glob: first > 0 && !rest.includes('/') ? `/${rest}` : rest };
}

async function resolveTarget(given: string, cwd: string): Promise<Target | undefined> {
  if (isUrl(cleanPath(given))) throw errors.create('FILE_TOOLS_NOT_A_FOLDER', { path: given, kind: 'a URL' });
  // A name such as `app/[id]/page.tsx` looks like a glob; what exists is meant as it is.
  const literal = resolvePath(cwd, given);
  const kind = await kindOf(literal);
  if (kind) return { base: literal, kind, given };
  const glob = globOf(given, cwd);
  if (!glob || (await kindOf(glob.base)) !== 'directory') {
    const destination = given.includes(':') ? await destinationOf(given, cwd) : undefined;
    if (destination?.kind !== 'archive' && destination?.kind !== 'database') return undefined;
    const kind = destination.kind === 'archive' ? 'inside of an archive' : 'inside of a database';
    throw errors.create('FILE_TOOLS_NOT_A_FOLDER', { path: given, kind });
  }
  return { ...glob, kind: 'directory', given };
}

async function kindOf(path: string): Promise<'file' | 'directory' | undefined> {
  try {
    return (await stat(path)).isDirectory() ? 'directory' : 'file';
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    // A link that leads nowhere exists, but there is nothing to look into.
    if (code === 'ELOOP' && (await lstat(path)).isSymbolicLink()) return undefined;
    throw errors.create('FILE_TOOLS_UNREADABLE', { path, reason: code ?? String(fault) }, fault);
  }
}
