/** How this very Tenon is started again, on the same folders. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Folders } from '@tenon/host';

/** The program, seen from one of its chunks and from the SDK's. */
const CANDIDATES = ['../main.js', './main.js', '../program.js', './program.js'];

/** The words that start Tenon: the program that this code is part of, so that both have one version; else the one in PATH. */
export function ownProgram(nodeFlags: readonly string[] = []): readonly [string, ...string[]] {
  const own = CANDIDATES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
  return own === undefined ? ['tenon'] : [process.execPath, ...nodeFlags, own];
}

const NAMES = ['config', 'data', 'state', 'cache'] as const;

/** Variables with which another Tenon finds the same folders, also where a program that embeds Tenon has chosen them. */
export function folderVariables(folders: Pick<Folders, (typeof NAMES)[number] | 'home'>): Record<string, string> {
  const own = dirname(folders.state);
  if (NAMES.every((name) => folders[name] === join(own, name))) return { TENON_HOME: own };
  if (!NAMES.every((name) => basename(folders[name]) === 'tenon')) return {};
  return Object.fromEntries(NAMES.map((name) => [`XDG_${name.toUpperCase()}_HOME`, dirname(folders[name])]));
}
