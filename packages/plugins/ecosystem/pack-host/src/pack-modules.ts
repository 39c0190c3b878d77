/** Imports the code of packs, TypeScript or JavaScript, and gives them the host's own copies of Tenon's packages. */
import * as commandLine from '@tenon/command-line/api';
import * as kernel from '@tenon/kernel';
import { isPlugin, type Plugin } from '@tenon/kernel';
import * as tools from '@tenon/tools/api';
import { errors } from './errors.ts';
import { importForeignModule } from './module-loader.ts';

/** What packs may import of Tenon. A copy of their own would have other tokens and error types than the host. */
const SHARED: Readonly<Record<string, unknown>> = {
  '@tenon/kernel': kernel,
  '@tenon/command-line/api': commandLine,
  '@tenon/tools/api': tools,
};

/** Imports a module of a pack, with `more` modules to share besides the usual ones. */
export function importPackModule(
  file: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  return importForeignModule(file, { ...SHARED, ...more });
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
