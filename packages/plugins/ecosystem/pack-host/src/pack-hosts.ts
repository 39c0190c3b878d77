/** All hosts of this process. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { joinFaults, type Logger } from '@tenon/kernel';
import { chooseMechanism, type MechanismChoice } from '@tenon/sandbox/api';
import type { HostPlace, HostProgram, PackHosts } from './api.ts';
import { errors } from './errors.ts';
import { loaderFolder } from './loader-folder.ts';
import { libraryFolders } from './library-folders.ts';
import { isolatedPlugin } from './isolated-plugin.ts';
import { PackHost, type PackToHost } from './pack-host.ts';
import { type PackRights, packRights } from './pack-rights.ts';
import type { RestartPolicy } from './restart-policy.ts';
import { runPackTests } from './pack-tests.ts';
import type { PackHostSettings } from './generated/settings.ts';
import { type Launch, planLaunch, planUnconfined } from './sandbox/launch.ts';
import { policyOf } from './sandbox/policy.ts';

/** How hosts are made. */
export interface PackHostsOptions {
  readonly config: PackHostSettings;
  readonly log: Logger;
  /** Names in a folder of a project that make something run: no pack may change them. */
  triggers(): readonly string[];
  /** The program of host processes; found beside the running program when absent. */
  readonly entry?: string;
  /** How often and how soon hosts are started again. */
  readonly restarts?: () => RestartPolicy;
}

/** Makes the service. */
export function createPackHosts(options: PackHostsOptions): PackHosts & { stopAll(): Promise<void> } {
  const { config, log } = options;
  const hosts = new Map<string, PackHost>();
  const rights = new Map<string, PackRights>();
  let choice: Promise<MechanismChoice> | undefined;
  const sandbox = () => (choice ??= chooseMechanism(config.sandbox));

  const policyFor = (pack: PackToHost, place: HostPlace, always: readonly string[], memoryMb = config.memoryMb) =>
    policyOf(
      pack.permissions,
      { plugin: pack.manifest.id, folder: pack.folder, ...place, triggers: options.triggers() },
      { always, memoryMb },
    );

  const launch = async (
    pack: PackToHost,
    place: HostPlace,
    tests?: readonly string[],
    program?: HostProgram,
  ): Promise<Launch> => {
    const plugin = pack.manifest.id;
    const entry = program ? requireEntry(plugin, program.name) : (options.entry ?? requireEntry(plugin, 'pack-host'));
    const memoryMb = config.memoryMb * (program?.memoryShares ?? 1);
    if (program?.confined === false) return planUnconfined(entry, memoryMb);
    const policy = policyFor(
      pack,
      place,
      [dirname(entry), loaderFolder(), ...(program?.libraries === true ? libraryFolders() : [])],
      memoryMb,
    );
    for (const value of policy.absent) {
      const cause = `"${value}" may be written, but does not exist, and a sandbox cannot let a pack make one single file`;
      log.withOwner(plugin).warn(`${cause}: create it empty and reload the pack, or grant its folder with "/**"`);
    }
    const forTests = tests && { args: ['--test', pack.folder, ...tests], nodeArgs: ['--test-reporter=spec'] };
    return planLaunch(await sandbox(), policy, { entry, plugin, ...forTests });
  };

  const start = async (pack: PackToHost, plan: () => Promise<Launch>, startSeconds = 0): Promise<PackHost> => {
    const { id } = pack.manifest;
    const limits = {
      startMs: Math.max(config.startSeconds, startSeconds) * 1_000,
      callMs: config.callSeconds * 1_000,
      hangMs: config.hangSeconds * 1_000,
    };
    // An earlier host is usually gone by now; what it fails to clean up must not keep the new one from starting.
    await hosts
      .get(id)
      ?.stop()
      .catch((fault: unknown) => log.warn(`the earlier host of "${id}" did not stop cleanly`, { fault }));
    const host = new PackHost(pack, {
      limits,
      log: log.withOwner(id),
      launch: plan,
      ...(options.restarts && { restarts: options.restarts() }),
    });
    hosts.set(id, host);
    return host;
  };

  const lendRights: PackHosts['lendRights'] = (pack, place) => {
    const { folder, permissions } = pack;
    const { id: plugin } = pack.manifest;
    rights.set(plugin, packRights({ plugin, folder, permissions, policy: () => policyFor(pack, place, []), sandbox }));
  };

  return {
    sandbox,
    lendRights,
    async isolate(pack, place) {
      lendRights(pack, place);
      return isolatedPlugin(await start(pack, () => launch(pack, place)));
    },
    rightsOf: (id) => rights.get(id),
    host: (pack, place, program) => start(pack, () => launch(pack, place, undefined, program), program.startSeconds),
    status: (id) => hosts.get(id)?.status(),
    async importEntry({ manifest, folder }) {
      const { importPackEntry } = await import('./pack-modules.ts');
      const { id, entry = 'src/plugin.ts' } = manifest;
      return importPackEntry(resolve(folder, entry), { plugin: id, folder, entry });
    },
    test: (pack, place, files, io) => runPackTests(() => launch(pack, place, files), io),
    async stopAll() {
      const stops = await Promise.allSettled([...hosts.values()].map((host) => host.stop()));
      hosts.clear();
      rights.clear();
      const faults = stops.flatMap((stop) => (stop.status === 'rejected' ? [stop.reason] : []));
      const joined = joinFaults(faults, 'several packs were not stopped cleanly');
      if (joined) throw joined;
    },
  };
}

function requireEntry(plugin: string, name: string): string {
  const entry = findHostEntry(name);
  if (entry !== undefined) return entry;
  const reason = `the program ${name}.js is missing; run \`npm run setup\``;
  throw errors.create('PACK_HOST_START_FAILED', { plugin, reason });
}

/** The file that the environment names, else the one beside the running program, else the one in the checkout when this runs from sources. */
function findHostEntry(name: string): string | undefined {
  const named = process.env[`TENON_${name.replaceAll('-', '_').toUpperCase()}`];
  if (named) return named;
  const candidates = [`./${name}.js`, `../${name}.js`, `../../../../cli/dist/${name}.js`];
  return candidates.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
}
