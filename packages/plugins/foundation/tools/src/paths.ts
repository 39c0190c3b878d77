/** Paths as models write them. */
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homeFolder, isInside } from '@tenon/host';

/** Takes off what models put around a path: blanks, quotes, `file://`. */
export function cleanPath(text: string): string {
  const trimmed = text.trim();
  const unquoted = /^(["'`])(.*)\1$/s.exec(trimmed)?.[2] ?? trimmed;
  return unquoted.startsWith('file://') ? fileUrlPath(unquoted) : unquoted;
}

/** `file://src/a.ts` is no valid file URL, and neither is `file:///a%2Fb`, but everybody knows what is meant. */
function fileUrlPath(url: string): string {
  const rest = url.slice('file://'.length);
  if (!rest.startsWith('/')) return rest;
  try {
    return fileURLToPath(url);
  } catch {
    return rest; // Not an address that Node accepts: a path that was put behind `file://`.
  }
}

/** The absolute path. A bare `/` means the working folder: models never want the whole machine. */
export function resolvePath(cwd: string, text: string): string {
  const path = cleanPath(text);
  if (path === '/' || path === '') return cwd;
  if (path === '~' || path.startsWith('~/')) return resolve(homeFolder(process.env), path.slice(2));
  return resolve(cwd, path);
}

/** The path as results show it: relative to the working folder when it is inside. */
export function displayPath(cwd: string, path: string): string {
  if (path === cwd) return '.';
  const shown = isInside(path, cwd) ? relative(cwd, path) : path;
  return sep === '/' ? shown : shown.replaceAll(sep, '/');
}
