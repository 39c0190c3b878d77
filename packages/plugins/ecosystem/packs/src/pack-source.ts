/** The discoverer of packs for the kernel's slot `plugins`. */
import type { Folders } from '@tenon/host';
import type { Logger, Manifest, Plugin, PluginCandidate, SlotSource, SourceItem, TenonError } from '@tenon/kernel';
import { type HostPlace, type PackHosts, reachProblems, wantedPermissions } from '@tenon/pack-host/api';
import { errors } from './errors.ts';
import { findPacks, type FoundPack } from './find-packs.ts';
import { mayStart } from './may-start.ts';

/** What the source works with. */
export interface PackSourceParts {
  readonly folders: Folders;
  readonly log: Logger;
  readonly hosts: () => Promise<PackHosts>;
  /** The manifests of everything that is installed. */
  manifests(): Promise<readonly Manifest[]>;
  /** Makes sure that an installed pack is what was installed. */
  verify(folder: string): Promise<void>;
  /** Tells the user about a pack that is broken. */
  report(error: TenonError): void;
}

/** Makes the source. */
export function createPackSource(parts: PackSourceParts): SlotSource<PluginCandidate> {
  const given = new WeakSet<Manifest>();
  return {
    id: 'packs',
    deadlineMs: 30_000,
    async load() {
      const { packs, problems, indexFault } = await findPacks(parts.folders);
      if (indexFault !== undefined) parts.log.warn('the index of packs could not be written', { fault: indexFault });
      for (const problem of problems) parts.report(problem);
      // What packs define is open to packs. Told apart by what was given, not by name: a pack may be called like a plugin of Tenon.
      const others = packs.length === 0 ? [] : (await parts.manifests()).filter((manifest) => !given.has(manifest));
      for (const { manifest } of packs) given.add(manifest);
      return {
        items: packs.map((pack): SourceItem<PluginCandidate> => {
          const { manifest, file, level } = pack;
          const reach = reachProblems(
            manifest,
            others,
            packs.map((other) => other.manifest),
          );
          const decision = mayStart({ ...pack, reach });
          // Only what would start otherwise is news.
          if (!decision.start && mayStart(pack).start)
            parts.report(errors.create('PACKS_OUT_OF_REACH', { plugin: manifest.id, file, reason: decision.reason }));
          return { key: manifest.id, value: candidateOf({ ...pack, reach }, parts), file, level };
        }),
      };
    },
  };
}

/** The candidate for a pack: in a process of its own, unless the user trusts it fully. */
export function candidateOf(
  pack: FoundPack,
  parts: Pick<PackSourceParts, 'folders' | 'hosts' | 'verify'>,
): PluginCandidate {
  const { manifest, folder, file } = pack;
  const decision = mayStart(pack);
  return {
    manifest,
    file,
    checked: true,
    ...(!(decision.start && decision.trust === 'full') && { foreign: true }),
    ...(!decision.start && { disabled: decision.reason }),
    async load(): Promise<Plugin> {
      if (pack.level === 'installed') await parts.verify(folder);
      const hosts = await parts.hosts();
      if (decision.start && decision.trust === 'full') return hosts.importEntry({ manifest, folder });
      return hosts.isolate({ manifest, folder, permissions: wantedPermissions(manifest) }, placeOf(parts.folders));
    },
  };
}

/** What `./` and `~/` in permissions mean. */
export function placeOf(folders: Folders): HostPlace {
  const { cwd, home, config, data, state, cache } = folders;
  return { workspace: cwd, home, own: [config, data, state, cache] };
}
