/** Which servers fit a file, and which folder is the root of its project. Only names of files are looked at; nothing is started. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '@tenon/host';
import type { LanguageServerData } from '../api.ts';

/** A server that is known, whether it is installed or not. */
export interface KnownServer {
  readonly name: string;
  readonly data: LanguageServerData;
  /** The file of the project that configures it; such a server starts only in a trusted folder. */
  readonly projectFile?: string;
  /** True when a pack of a stranger brings it: it is used only where the user's settings enable it. */
  readonly foreign?: boolean;
}

/** A server for a certain project. */
export interface FittingServer extends KnownServer {
  readonly root: string;
}

const STANDARD_ORDER = 50;

/** The language of a file for a server; undefined when it is none of its files. */
export function languageOf({ languages }: Pick<LanguageServerData, 'languages'>, path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (Object.hasOwn(languages, name)) return languages[name];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const extension = name.slice(dot);
    if (Object.hasOwn(languages, extension)) return languages[extension];
  }
  return undefined;
}

/** The servers for a file, those for navigation first; each with the root of its project. */
export function serversForFile(servers: readonly KnownServer[], path: string, top: string): FittingServer[] {
  return ordered(servers)
    .filter(({ data }) => languageOf(data, path) !== undefined)
    .flatMap((server) => {
      const root = rootOf(server.data, path, top);
      return root === undefined ? [] : [{ ...server, root }];
    });
}

/** The servers for a folder: those whose markers stand there. */
export function serversForFolder(servers: readonly KnownServer[], top: string): FittingServer[] {
  return ordered(servers)
    .filter(({ data: { rootMarkers = [] } }) => rootMarkers.length > 0 && hasMarker(top, rootMarkers))
    .map((server) => ({ ...server, root: top }));
}

function ordered(servers: readonly KnownServer[]): KnownServer[] {
  const rank = ({ data: { linter, order = STANDARD_ORDER } }: KnownServer) => (linter ? 1_000 : 0) + order;
  return servers.filter(({ data }) => data.enabled !== false).sort((a, b) => rank(a) - rank(b));
}

/**
 * The root of a file's project: the highest folder with a marker between the file and the top, so that the parts of one repository
 * share a server; the top where there is no marker.
 */
function rootOf({ rootMarkers = [], needsMarker }: LanguageServerData, path: string, top: string): string | undefined {
  let found: string | undefined;
  for (let folder = dirname(path); isInside(folder, top); folder = dirname(folder)) {
    if (rootMarkers.length > 0 && hasMarker(folder, rootMarkers)) found = folder;
    if (folder === top) break;
  }
  if (found !== undefined) return found;
  return needsMarker || !isInside(path, top) ? undefined : top;
}

/** Whether one of the names stands in a folder; true without names. */
export function hasMarker(folder: string, markers: readonly string[]): boolean {
  if (markers.length === 0) return true;
  return markers.some((marker) => (marker.includes('*') ? hasMatch(folder, marker) : existsSync(join(folder, marker))));
}

function hasMatch(folder: string, marker: string): boolean {
  const pattern = new RegExp(`^${marker.split('*').map(escaped).join('.*')}$`);
  try {
    return readdirSync(folder).some((name) => pattern.test(name));
  } catch {
    return false; // A folder that cannot be listed has no marker that we could see.
  }
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}

/** The top of the workspace of a folder: the root of its repository, or the folder itself. */
export function workspaceTop(cwd: string, home: string): string {
  for (let folder = cwd; folder !== dirname(folder) && folder !== home; folder = dirname(folder))
    if (existsSync(join(folder, '.git'))) return folder;
  return cwd;
}
