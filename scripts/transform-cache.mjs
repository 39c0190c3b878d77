/**
 * Vitest keeps what it made of a source file for the next run (`experimental.fsModuleCache`), by the file's text. What it made also
 * names the files that the imports lead to, and those are decided by the manifests: they belong to the key. What a path with a variable
 * in it leads to is decided by the files of a folder: such a file is not kept, or a new neighbour would not be found.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { REPOSITORY, workspacePackages } from './workspace.mjs';

/** Every version of every source file leaves an entry; a checkout has about 3,000 files. */
const MOST_ENTRIES = 12_000;
const FOLDER = 'node_modules/.cache/tenon-transforms';

/** @param {string} [root] @returns {string} changes with the manifest of any package */
export function manifestsKey(root = REPOSITORY) {
  const manifests = workspacePackages(root).map(({ folder, json }) => [folder, json]);
  return createHash('sha1').update(JSON.stringify(manifests)).digest('hex');
}

/** A plugin of vitest that adds the manifests to the keys. */
export function transformCachePlugin() {
  return {
    name: 'manifests-in-cache-keys',
    configureVitest({ experimental_defineCacheKeyGenerator: define }) {
      const key = manifestsKey();
      define(({ sourceCode }) => (/\bimport\(\s*`/.test(sourceCode) ? false : key));
    },
  };
}

/** For `experimental` of vitest's configuration. */
export const transformCache = { fsModuleCache: true, fsModuleCachePath: FOLDER };

/** Begins anew when there is too much in it. @param {string} [root] */
export function boundTransformCache(root = REPOSITORY) {
  const folder = join(root, FOLDER);
  if (existsSync(folder) && readdirSync(folder).length > MOST_ENTRIES) rmSync(folder, { recursive: true, force: true });
}
