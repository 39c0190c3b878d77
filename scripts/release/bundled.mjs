/**
 * Packages of others that look for files beside their own code, so that they cannot be part of the program. They come inside of its
 * package (`bundleDependencies`) without what only developers need: sources, maps, declarations, builds for browsers.
 */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

import { readJson } from '../workspace.mjs';
import { allFiles, put, putJson } from './files.mjs';

/** Name -> the files that are needed; licence files come by themselves. */
const NEEDED = {
  // Only the grammar that commands are judged with where no addon serves; the others are in @tenon/grammars.
  '@vscode/tree-sitter-wasm': /^(?:cgmanifest\.json|wasm\/tree-sitter-bash\.wasm)$/,
  jiti: /^(?:lib|dist)\/.*\.[cm]?js$/,
  tinypool: /^dist\/.*\.js$/,
  unpdf: /^dist\/(?:index|pdfjs)\.[cm]js$/,
  // Imported, never required.
  'web-tree-sitter': /^web-tree-sitter\.(?:js|wasm)$/,
};

/** A tenth of its size so; `native/src/syntax/grammars.ts` reads it where no addon serves. */
const COMPRESSED = /^wasm\/tree-sitter-.*\.wasm$/;

const KEPT_FIELDS = [
  'name',
  'version',
  'license',
  'author',
  'repository',
  'type',
  'main',
  'module',
  'exports',
  'imports',
  'os',
  'cpu',
  'dependencies',
];
const LICENCE = /^(?:licen[cs]e|copying|notice)/i;

/** Names of the bundled packages. */
export const BUNDLED = Object.keys(NEEDED);

/**
 * Copies them into the `node_modules` of a package.
 * @param {string} root @param {string} folder @returns {Record<string, string>} name -> version
 */
export function copyBundled(root, folder) {
  return Object.fromEntries(BUNDLED.map((name) => [name, copyOne(root, name, join(folder, 'node_modules', name))]));
}

function copyOne(root, name, target) {
  const source = packageFolder(root, name);
  const wanted = allFiles(source).filter((file) => NEEDED[name].test(file) || LICENCE.test(file));
  if (!wanted.some((file) => NEEDED[name].test(file)))
    throw new Error(`nothing of ${name} is taken; look at its files and mend scripts/release/bundled.mjs`);
  for (const file of wanted) {
    if (COMPRESSED.test(file)) put(join(target, `${file}.br`), brotliCompressSync(readFileSync(join(source, file))));
    else cpSync(join(source, file), join(target, file));
  }
  const manifest = readJson(join(source, 'package.json'));
  const kept = Object.fromEntries(
    KEPT_FIELDS.filter((field) => manifest[field] !== undefined).map((field) => [field, manifest[field]]),
  );
  const missing = Object.keys(kept.dependencies ?? {}).filter((other) => !BUNDLED.includes(other));
  if (missing.length > 0)
    throw new Error(`${name} needs ${missing.join(', ')}; say in scripts/release/bundled.mjs what of it`);
  putJson(join(target, 'package.json'), kept);
  return manifest.version;
}

/** Where npm put a package. @param {string} root @param {string} name */
export function packageFolder(root, name) {
  const folder = join(root, 'node_modules', name);
  if (!existsSync(join(folder, 'package.json'))) throw new Error(`${name} is not installed; run \`npm run setup\``);
  return folder;
}

/** The licence files of a package, with their texts' paths. @param {string} folder */
export function licenceFiles(folder) {
  return readdirSync(folder)
    .filter((file) => LICENCE.test(basename(file)))
    .map((file) => join(folder, file));
}
