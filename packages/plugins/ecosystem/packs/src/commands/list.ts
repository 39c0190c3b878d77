import type { CliCommand } from '@tenon/command-line/api';
import type { PluginStatus } from '@tenon/kernel';
import { describePermissions, wantedPermissions } from '@tenon/pack-host/api';
import { findPacks, type FoundPack } from '../find-packs.ts';
import type { CommandParts } from './parts.ts';

/** One plugin as `plugin list --json` shows it. */
interface Row {
  readonly id: string;
  readonly version: string;
  readonly level: string;
  readonly state: string;
  readonly trust: string;
  readonly permissions: readonly string[];
  readonly folder?: string;
  readonly reason?: string;
  readonly fullSince?: string;
}

/** `tenon plugin list`. */
export function listCommand(parts: CommandParts): CliCommand {
  return {
    async run({ flags, io }) {
      const { packs } = await findPacks(parts.folders);
      const status = (await parts.view()).status();
      const rows = [
        ...packs.map((pack) =>
          packRow(
            pack,
            status.find(({ file }) => file === pack.file),
          ),
        ),
        ...(await bundleRows(parts)),
        ...(flags['all'] === true
          ? status.filter(({ file }) => !packs.some((pack) => pack.file === file)).map(builtInRow)
          : []),
      ];
      if (flags['json'] === true) return io.json(rows);
      if (rows.length === 0) {
        return io.out(
          'No plugins are installed. Find some with `tenon plugin discover`, write a pack with `tenon plugin new NAME`, ' +
            'or use one with `tenon plugin link DIR`.\n',
        );
      }
      await io.out(rows.map(textOf).join(''));
    },
  };
}

function packRow(pack: FoundPack, status: PluginStatus | undefined): Row {
  const { manifest, level, folder, record } = pack;
  const reason = status === undefined ? 'another plugin has the same id' : (status.reason ?? status.error?.message);
  return {
    id: manifest.id,
    version: manifest.version,
    level,
    state: status?.state ?? 'shadowed',
    trust: record?.trust ?? 'isolated',
    permissions: describePermissions(wantedPermissions(manifest)),
    folder,
    ...(reason !== undefined && { reason }),
    ...(record?.fullSince !== undefined && { fullSince: record.fullSince }),
  };
}

/** What was installed and is no pack; packs are listed as such. */
async function bundleRows(parts: CommandParts): Promise<Row[]> {
  const installed = (await (await parts.installed())?.list()) ?? [];
  return installed.flatMap(({ id, version, scope, folder, pack, disabled }) =>
    pack !== undefined
      ? []
      : [
          {
            id,
            version,
            level: scope === 'project' ? 'installed for the project' : 'installed',
            state: disabled === undefined ? 'in use' : 'disabled',
            trust: 'bundle',
            permissions: [],
            folder,
            ...(disabled !== undefined && { reason: disabled }),
          },
        ],
  );
}

/** The state for people: "installed" also says where a pack comes from. */
export function stateWord(state: string): string {
  return state === 'installed' ? 'ready (starts on first use)' : state;
}

function builtInRow({ id, version, state, error }: PluginStatus): Row {
  const reason = error?.message;
  return {
    id,
    version,
    level: 'built in',
    state,
    trust: 'full',
    permissions: [],
    ...(reason !== undefined && { reason }),
  };
}

function textOf({ id, version, level, state, trust, permissions, folder, reason, fullSince }: Row): string {
  const since = fullSince === undefined ? '' : ` since ${fullSince.slice(0, 10)}`;
  const trusted = trust === 'full' && level !== 'built in' ? `FULL TRUST${since}, runs without a sandbox` : '';
  const may =
    trusted || level === 'built in' || trust === 'bundle'
      ? []
      : [permissions.length === 0 ? 'may only compute' : `may ${permissions.join(', ')}`];
  const lines = [trusted, ...may, folder ?? '', reason === undefined ? '' : `${state}: ${reason}`].filter(
    (line) => line !== '',
  );
  return [`${id} ${version}  ${level}, ${stateWord(state)}`, ...lines.map((line) => `  ${line}`), ''].join('\n');
}
