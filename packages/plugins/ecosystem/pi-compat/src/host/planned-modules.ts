/** Which modules of a folder are loaded, how, and why others are not. */
import type { Permissions, TenonError } from '@tenon/kernel';
import { mergePermissions } from '@tenon/pack-host/api';
import { switchedOffByOwner } from './disabled-extensions.ts';
import { findModules, type FoundModule } from './modules.ts';
import { type ModuleRecord, type ModuleRecords, readRecords, recordsFile } from './records.ts';
import type { ExtensionServices } from './services.ts';

/** A module and what is done with it. */
export interface PlannedModule {
  readonly module: FoundModule;
  readonly record?: ModuleRecord;
  readonly permissions: Permissions;
  /** Why it is not loaded, if so. */
  readonly skipped?: string;
}

/** Every module for a folder, and whether it is loaded. Nothing is run. */
export async function planModules(
  world: ExtensionServices,
  cwd: string,
): Promise<{ readonly planned: readonly PlannedModule[]; readonly problems: readonly TenonError[] }> {
  const { config, folders } = world;
  const { extensions: named, noExtensions } = await world.flags();
  const wanted = {
    configured: noExtensions ? [] : config.extensions,
    named,
    discover: config.enabled && !noExtensions,
  };
  const { modules, problems } = await findModules(await world.discovery(), wanted, {
    cwd,
    home: folders.home,
    cache: folders.cache,
  });
  const records: ModuleRecords = readRecords(recordsFile(folders.data));
  const off = await switchedOffByOwner(await world.discovery(), cwd);
  const planned = modules.map((module): PlannedModule => {
    const record = records[module.file];
    const skipped = reasonToSkip(world, module, record) ?? off(module);
    return {
      module,
      permissions: mergePermissions(config.permissions, record?.granted),
      ...(record && { record: module.level === 'project' ? { ...record, trust: 'isolated' } : record }),
      ...(skipped !== undefined && { skipped }),
    };
  });
  return { planned, problems };
}

function reasonToSkip(
  { config }: ExtensionServices,
  { name, from }: FoundModule,
  record: ModuleRecord | undefined,
): string | undefined {
  if (config.disabled.some((entry) => entry.replace(/^extension-module:/, '') === name))
    return 'the setting pi-compat.disabled names it';
  // What is named on the command line is wanted, whatever was decided before.
  if (record?.enabled === false && from !== 'command line') return 'it was switched off with `tenon extension disable`';
  return undefined;
}
