/** How another process of Tenon finds the same folders. */
import { basename, dirname, join } from 'node:path';
import type { Folders } from '@tenon/host';

const NAMES = ['config', 'data', 'state', 'cache'] as const;

/** Variables with which another Tenon finds the same folders, also where a program that embeds Tenon has chosen them. */
export function folderVariables(folders: Pick<Folders, (typeof NAMES)[number] | 'home'>): Record<string, string> {
  const own = dirname(folders.state);
  if (NAMES.every((name) => folders[name] === join(own, name))) return { TENON_HOME: own };
  if (!NAMES.every((name) => basename(folders[name]) === 'tenon')) return {};
  return Object.fromEntries(NAMES.map((name) => [`XDG_${name.toUpperCase()}_HOME`, dirname(folders[name])]));
}
