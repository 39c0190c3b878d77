import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CliCommand } from '@tenon/command-line/api';
import { joinFaults, type Manifest, messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { type FoundPack, findPacks } from '../find-packs.ts';
import { readPack } from '../read-pack.ts';
import { changeRecord, readRecords, recordsFile } from '../trust-records.ts';
import { argument, type CommandParts, confirm, requirePack } from './parts.ts';
import { granted, permissionText } from './trust.ts';

/** `tenon plugin link`. */
export function linkCommand(parts: CommandParts): CliCommand {
  return {
    async run(call) {
      const folder = existingFolder(resolve(call.cwd, argument(call, 'dir')));
      const manifest = await requireManifest(folder);
      const { packs } = await findPacks(parts.folders);
      const view = await parts.view();
      const other =
        packs.find((pack) => pack.manifest.id === manifest.id && pack.folder !== folder)?.folder ??
        builtIn(view.status(), packs, manifest.id);
      if (other !== undefined) throw errors.create('PACKS_ID_TAKEN', { folder, plugin: manifest.id, other });
      const records = recordsFile(parts.folders.data);
      const file = join(folder, 'package.json');
      const pack: FoundPack = { manifest, folder, file, level: 'linked', record: readRecords(records)[folder] };
      await call.io.out(permissionText(pack));
      await confirm(call, 'Use this pack?', 'linked');
      await changeRecord(records, folder, (record) => ({ ...granted(pack, record), linked: true }));
      await call.io.out(`Pack "${manifest.id}" is linked. Try \`tenon plugin doctor ${manifest.id}\`.\n`);
    },
  };
}

/** `tenon plugin unlink`. */
export function unlinkCommand(parts: CommandParts): CliCommand {
  return {
    async run(call) {
      const plugin = argument(call, 'id');
      const records = recordsFile(parts.folders.data);
      // A linked pack whose folder is gone or broken is not found any more, but must still go.
      const known = Object.entries(readRecords(records)).find(([, { id, linked }]) => linked && id === plugin)?.[0];
      if (known === undefined) {
        const { folder, record } = await requirePack(parts, plugin, 'unlinked');
        if (record?.installed) throw errors.create('PACKS_INSTALLED', { plugin, installed: record.installed.plugin });
        throw errors.create('PACKS_NOT_LINKED', { plugin, folder });
      }
      await changeRecord(records, known, () => undefined);
      await call.io.out(`Pack "${plugin}" is no longer linked; its folder was not touched.\n`);
    },
  };
}

/** The manifest in a folder, or all complaints about it at once. */
export async function requireManifest(folder: string): Promise<Manifest> {
  const read = await readPack(join(folder, 'package.json'));
  if ('manifest' in read) return read.manifest;
  throw (
    joinFaults(read.problems, `the pack in ${folder} has several problems`) ??
    errors.create('PACKS_NO_MANIFEST', { folder, reason: 'unknown' })
  );
}

/** The real path of a folder that must be there. */
export function existingFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (fault) {
    const isMissing = (fault as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing ? 'it does not exist' : messageOf(fault);
    throw errors.create('PACKS_NO_MANIFEST', { folder: path, reason }, fault);
  }
}

function builtIn(
  status: readonly { id: string; file: string }[],
  packs: readonly FoundPack[],
  id: string,
): string | undefined {
  const known = status.find((candidate) => candidate.id === id);
  return known && !packs.some(({ file }) => file === known.file) ? 'a built-in plugin' : undefined;
}
