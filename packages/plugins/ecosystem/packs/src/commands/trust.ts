import type { CliCommand, CommandCall } from '@tenon/command-line/api';
import { describePermissions, permissionsHash, wantedPermissions } from '@tenon/pack-host/api';
import { errors } from '../errors.ts';
import type { FoundPack } from '../find-packs.ts';
import { newPermissions } from '../may-start.ts';
import { changeRecord, type PackRecord, recordsFile } from '../trust-records.ts';
import { argument, type CommandParts, confirm, requirePack } from './parts.ts';

/** `tenon plugin trust`. */
export function trustCommand(parts: CommandParts): CliCommand {
  return {
    async run(call) {
      const pack = await requirePack(parts, argument(call, 'id'), 'trusted');
      if (call.flags['revoke'] === true) return revoke(pack, parts, call);
      if (call.flags['full'] === true) return trustFully(pack, parts, call);
      await call.io.out(permissionText(pack));
      await confirm(call, 'Grant this?', 'granted');
      await changeRecord(recordsFile(parts.folders.data), pack.folder, (record) => granted(pack, record));
      await call.io.out(`Pack "${pack.manifest.id}" may do this from its next start on. It stays isolated.\n`);
    },
  };
}

async function trustFully(pack: FoundPack, parts: CommandParts, call: CommandCall): Promise<void> {
  const { id } = pack.manifest;
  if (pack.level === 'project') throw errors.create('PACKS_PROJECT_FULL', { plugin: id, folder: pack.folder });
  await call.io.out(
    `Pack "${id}" (${pack.folder}) will run inside Tenon, without a sandbox.\n` +
      'It will be able to do everything that you can do: read and change all your files, use the network, run programs.\n',
  );
  await confirm(call, 'Trust it fully?', 'trusted');
  const fullSince = new Date().toISOString();
  await changeRecord(recordsFile(parts.folders.data), pack.folder, (record) => ({
    ...granted(pack, record),
    trust: 'full',
    fullSince,
  }));
  await call.io.out(`Pack "${id}" has full trust. Take it back with \`tenon plugin trust ${id} --revoke\`.\n`);
}

async function revoke(pack: FoundPack, parts: CommandParts, call: CommandCall): Promise<void> {
  const { id } = pack.manifest;
  await changeRecord(recordsFile(parts.folders.data), pack.folder, (record) => {
    const { enabled = true, linked } = record ?? {};
    return { id, enabled, trust: 'isolated', ...(linked !== undefined && { linked }) };
  });
  await call.io.out(`Nothing is granted to pack "${id}" any more.\n`);
}

/** `tenon plugin enable` and `tenon plugin disable`. */
export function enableCommand(parts: CommandParts, enabled: boolean): CliCommand {
  const done = enabled ? 'enabled' : 'disabled';
  return {
    async run(call) {
      const wanted = argument(call, 'id');
      // Plugins of marketplaces have a name with `@`, which no pack has.
      if (wanted.includes('@') && (await (await parts.installed())?.setEnabled(wanted, enabled)))
        return call.io.out(`Plugin "${wanted}" is ${done}.\n`);
      const pack = await requirePack(parts, wanted, done);
      const { id } = pack.manifest;
      const fresh: PackRecord = { id, enabled, trust: 'isolated' };
      await changeRecord(recordsFile(parts.folders.data), pack.folder, (record) =>
        record ? { ...record, enabled } : fresh,
      );
      await call.io.out(`Pack "${id}" is ${done}.\n`);
    },
  };
}

/** The record after everything that the pack asks for was granted. */
export function granted({ manifest }: FoundPack, record: PackRecord | undefined): PackRecord {
  const { fullSince: _fullSince, ...kept } = record ?? {};
  const permissions = wantedPermissions(manifest);
  return {
    ...kept,
    id: manifest.id,
    enabled: true,
    trust: 'isolated',
    granted: permissions,
    grantedHash: permissionsHash(permissions),
    grantedAt: new Date().toISOString(),
  };
}

/** What a pack may do, in plain words; what is new since the last grant is marked. */
export function permissionText({ manifest, folder, record }: FoundPack): string {
  const added = new Set(
    record?.granted === undefined
      ? []
      : describePermissions(newPermissions(record.granted, wantedPermissions(manifest))),
  );
  const lines = describePermissions(wantedPermissions(manifest)).map(
    (line) => `  - ${line}${added.has(line) ? '   (new)' : ''}\n`,
  );
  const head = `Pack "${manifest.id}" ${manifest.version} (${folder})\n`;
  if (lines.length === 0)
    return `${head}asks for nothing: it may only compute, isolated from your files and the network.\n`;
  return `${head}runs isolated, and may:\n${lines.join('')}`;
}
