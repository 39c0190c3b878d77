/** Imports the code of packs, TypeScript or JavaScript, and gives them the host's own copies of Tenon's packages. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as commandLine from '@tenon/command-line/api';
import * as kernel from '@tenon/kernel';
import { isPlugin, type Plugin } from '@tenon/kernel';
import * as tools from '@tenon/tools/api';
import { errors } from './errors.ts';
import { loaderFolder } from './loader-folder.ts';

/** What packs may import of Tenon. A copy of their own would have other tokens and error types than the host. */
const SHARED: Readonly<Record<string, unknown>> = {
  '@tenon/kernel': kernel,
  '@tenon/command-line/api': commandLine,
  '@tenon/tools/api': tools,
};

/** Imports a module of a pack, with `more` modules to share besides the usual ones. */
export async function importPackModule(
  file: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const { createJiti } = await importLoader();
  const jiti = createJiti(file, {
    virtualModules: { ...SHARED, ...more },
    // Nothing is kept on disk: a cache that the pack can reach would outlive what the user looked at.
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
  });
  return jiti.import<Record<string, unknown>>(file);
}

/** Imported by path: it looks for its own parts beside its code, so it must not become part of a bundle. */
function importLoader(): Promise<typeof import('jiti')> {
  return import(pathToFileURL(join(loaderFolder(), 'lib', 'jiti.mjs')).href) as Promise<typeof import('jiti')>;
}

/** Imports the entry of a pack and gives the plugin that it exports. */
export async function importPackEntry(
  file: string,
  about: { plugin: string; folder: string; entry: string },
): Promise<Plugin> {
  const { default: plugin } = await importPackModule(file);
  if (isPlugin(plugin)) return plugin;
  throw errors.create('PACK_HOST_ENTRY_INVALID', about);
}
