/** Keeps what marketplaces install as packs. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Folders } from '@tenon/host';
import { joinFaults, type Manifest } from '@tenon/kernel';
import { permissionsHash, wantedPermissions } from '@tenon/pack-host/api';
import type { PackInstall, PackInstalls } from './api.ts';
import { errors } from './errors.ts';
import { findPacks } from './find-packs.ts';
import { readPack } from './read-pack.ts';
import { changeRecord, type PackRecord, readRecords, recordsFile } from './trust-records.ts';

/** The service for whoever installs packs. */
export function createPackInstalls(folders: Folders, builtIn: (id: string) => Promise<boolean>): PackInstalls {
  const records = recordsFile(folders.data);
  return {
    async read(folder) {
      const read = await readPack(join(folder, 'package.json'));
      if ('manifest' in read) return read.manifest;
      throw (
        joinFaults(read.problems, 'the pack has several problems') ??
        errors.create('PACKS_NO_MANIFEST', { folder, reason: 'unknown' })
      );
    },
    async holderOf(id, plugin) {
      const { packs } = await findPacks(folders);
      const other = packs.find((pack) => pack.manifest.id === id && pack.record?.installed?.plugin !== plugin);
      if (other) return other.folder;
      const isPack = packs.some(({ manifest }) => manifest.id === id);
      return !isPack && (await builtIn(id)) ? 'a built-in plugin' : undefined;
    },
    async add({ folder, manifest, plugin, lock }: PackInstall) {
      const before = Object.values(readRecords(records)).find((record) => record.installed?.plugin === plugin);
      await changeRecord(records, keyOf(folder), (record) => granted(manifest, plugin, lock, record, before));
    },
    async remove(gone) {
      const known = readRecords(records);
      for (const folder of gone.map(keyOf)) if (known[folder]) await changeRecord(records, folder, () => undefined);
    },
  };
}

/** What was agreed to is granted to this content. Full trust is not carried over: it was given to other code. */
function granted(
  manifest: Manifest,
  plugin: string,
  lock: string,
  record: PackRecord | undefined,
  before: PackRecord | undefined,
): PackRecord {
  const permissions = wantedPermissions(manifest);
  const locks = new Set([...(record?.installed?.locks ?? []), lock]);
  return {
    ...record,
    id: manifest.id,
    enabled: record?.enabled ?? before?.enabled ?? true,
    trust: record?.trust ?? 'isolated',
    installed: { plugin, locks: [...locks] },
    granted: permissions,
    grantedHash: permissionsHash(permissions),
    grantedAt: new Date().toISOString(),
  };
}

/** Records are kept by real path; the folder itself may be gone. */
function keyOf(folder: string): string {
  return join(realpathSync.native(dirname(folder)), basename(folder));
}
