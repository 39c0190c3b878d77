/** The flags of a folder's extensions as far as they are known without running any of them, for help. */
import type { FlagSpec } from '@tenon/command-line/api';
import { plainLine } from '@tenon/wording';
import { codeOf } from './freshness.ts';
import { readRecords, recordsFile } from './records.ts';
import type { ExtensionServices } from './services.ts';
import { ShapeCache } from './shape-cache.ts';

/** Flags of extensions that ran here before and are as they were. */
export function knownFlags(world: ExtensionServices, cwd: string): Readonly<Record<string, FlagSpec>> {
  const { config, folders } = world;
  if (!config.enabled) return {};
  const cache = new ShapeCache(world, cwd, {});
  if (cache.files().length === 0) return {};
  const records = readRecords(recordsFile(folders.data));
  const flags: Record<string, FlagSpec> = {};
  for (const file of cache.files()) {
    const owner = cache.residentName(file);
    if (owner === undefined || records[file]?.enabled === false || config.disabled.includes(owner)) continue;
    for (const { name, type, description } of cache.flags(file, codeOf(file, { cwd, home: folders.home }))) {
      const about = plainLine(description ?? '') || 'A flag';
      flags[name.replace(/^--/, '')] = { type, summary: `${about} (extension ${plainLine(owner)})` };
    }
  }
  return flags;
}
