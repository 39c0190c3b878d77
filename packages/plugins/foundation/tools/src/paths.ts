/** Paths as models write them. */
import { lstatSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homeFolder, isInside } from '@tenon/host';

/** Takes off what models put around a path: blanks, quotes, `file://`. */
export function cleanPath(text: string): string {
  return unwrapPath(text.trim());
}

/** Takes off quotes and `file://`; blanks at the ends stay, for they may belong to the name. */
export function unwrapPath(text: string): string {
  const unquoted = /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? text;
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

/** What a text can mean as a path, the most literal first; nearly always there is only one. */
export function pathForms(text: string): readonly string[] {
  return [...new Set([text, unwrapPath(text), cleanPath(text)])];
}

/**
 * The path that is meant: the text itself if there is such a file, for names may hold blanks and quotes at their ends;
 * else without what models put around paths, or with letters composed otherwise, if there is that. A new file is meant as
 * it is written, without quotes.
 */
function meantPath(cwd: string, text: string): string {
  const forms = pathForms(text);
  const isPlain = forms.length === 1 && !/[^\u0020-\u007e]/.test(text);
  if (isPlain) return text;
  const spelled = forms.flatMap((form) => [form, form.normalize('NFC'), form.normalize('NFD')]);
  const found = spelled.find((form) => form !== '' && isThere(absolutePath(cwd, form)));
  return found ?? (text.trim() === '' ? '' : unwrapPath(text));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // Nothing that can be looked at under this name; using it tells why.
  }
}

/** The absolute path. A bare `/` means the working folder: models never want the whole machine. */
export function resolvePath(cwd: string, text: string): string {
  return absolutePath(cwd, meantPath(cwd, text));
}

/** The same for a path that is meant exactly as it is written. */
export function absolutePath(cwd: string, path: string): string {
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
