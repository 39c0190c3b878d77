/** Imports the code of packs, TypeScript or JavaScript, and gives them the host's own copies of Tenon's packages. */
import * as agent from '@tenon/agent/api';
import * as commandLine from '@tenon/command-line/api';
import { contextFiles, externalHooks, mcpServers } from '@tenon/discovery/api';
import { editModes } from '@tenon/file-tools/api';
import * as host from '@tenon/host';
import * as kernel from '@tenon/kernel';
import { isPlugin, type Plugin } from '@tenon/kernel';
import * as planningTools from '@tenon/planning-tools/api';
import * as screenSlots from '@tenon/screen-slots/api';
import * as slashCommands from '@tenon/slash-commands/api';
import * as smallTools from '@tenon/small-tools/api';
import * as tools from '@tenon/tools/api';
import * as urls from '@tenon/urls/api';
import * as webTools from '@tenon/web-tools/api';
import { errors } from './errors.ts';
import { importForeignModule } from './module-loader.ts';
import type { SHARED_MODULES } from './shared-modules.ts';

/**
 * What packs may import of Tenon: every module with something that the boundary lets them reach. A copy of their own would have other
 * tokens and error types than the host. `@tenon/pack-types` has the types of the same modules (`scripts/pack-types.mjs`).
 */
export const SHARED: Readonly<Record<(typeof SHARED_MODULES)[number], object>> = {
  '@tenon/kernel': kernel,
  '@tenon/host': host,
  '@tenon/command-line/api': commandLine,
  '@tenon/tools/api': tools,
  '@tenon/agent/api': agent,
  '@tenon/screen-slots/api': screenSlots,
  '@tenon/urls/api': urls,
  '@tenon/slash-commands/api': slashCommands,
  '@tenon/planning-tools/api': planningTools,
  '@tenon/web-tools/api': webTools,
  '@tenon/small-tools/api': smallTools,
  // The rest of these would bring readers and parsers of Tenon into every process of a pack.
  '@tenon/discovery/api': { contextFiles, externalHooks, mcpServers },
  '@tenon/file-tools/api': { editModes },
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
