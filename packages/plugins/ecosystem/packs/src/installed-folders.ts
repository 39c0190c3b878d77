/** Packs that a marketplace brought: their folders are named by what is in them, and lock files say which of them count. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Folders } from '@tenon/host';
import type { PackRecords } from './trust-records.ts';

/** The folders of installed packs that a lock file lists. Reads no lock file when no pack was ever installed. */
export function installedFolders(records: PackRecords, { data, project }: Folders): string[] {
  const installed = Object.entries(records).filter(([, record]) => record.installed !== undefined);
  if (installed.length === 0) return [];
  const usersFile = join(data, 'plugins', 'lock.json');
  const files = [usersFile, ...(project === undefined ? [] : [join(project, 'plugins.lock.json')])];
  const locks = new Map(files.map((file) => [file, readLock(file)]));
  const disabled = locks.get(usersFile)?.disabled ?? [];
  return installed.flatMap(([folder, { installed: known }]) => {
    if (known === undefined || disabled.includes(known.plugin)) return [];
    const fingerprint = `sha256-${basename(folder)}`;
    const isListed = known.locks.some((file) => locks.get(file)?.plugins?.[known.plugin]?.content === fingerprint);
    return isListed ? [folder] : [];
  });
}

interface Lock {
  readonly plugins?: Readonly<Record<string, { readonly content?: unknown } | undefined>>;
  readonly disabled?: readonly string[];
}

/** An absent or damaged lock file lists nothing; the plugin that writes it reports the damage. */
function readLock(file: string): Lock {
  try {
    const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
    return typeof lock === 'object' && lock !== null ? lock : {};
  } catch {
    return {};
  }
}
