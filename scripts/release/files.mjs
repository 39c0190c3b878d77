/** Small helpers over folders of packages. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** Writes a file and the folders above it. @param {string} path @param {string | Uint8Array} contents */
export function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

/** @param {string} path @param {unknown} value */
export function putJson(path, value) {
  put(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Every file below a folder, those in node_modules too, as paths from it with slashes. @param {string} folder @returns {string[]} */
export function allFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Bytes of all files below a folder. @param {string} folder */
export function sizeOf(folder) {
  return allFiles(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

/** `12.3 MB`. @param {number} bytes */
export function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
