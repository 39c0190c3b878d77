/** What other plugins may use of the pack host: the service that isolates packs, and what permissions mean. */
import { type Permissions, type Plugin, service } from '@tenon/kernel';
import type { PackRights } from './pack-rights.ts';
import type { HostStatus, PackHost, PackToHost } from './pack-host.ts';
import type { MechanismChoice } from '@tenon/sandbox/api';

export { errors } from './errors.ts';
export type { Connection } from './connection.ts';
export { createFetchBroker, type BrokeredRequest } from './fetch-broker.ts';
export { fetchThrough } from './host/fetch.ts';
export { type HostLink, restrictHost, serveHost } from './host/serve.ts';
export { importForeignModule } from './module-loader.ts';
export {
  confirmOnCommandLine,
  decidedNow,
  type ForeignServices,
  mergePermissions,
  type ModuleDecision,
  permissionsInFlags,
  revokedDecision,
} from './foreign-code.ts';
export type { Activation, HostStatus, PackHost, PackToHost } from './pack-host.ts';
export {
  addedPermissions,
  checkPermissions,
  describePermissions,
  permissionsHash,
  type PermissionOwner,
} from './permissions.ts';
export { serverOf as foreignServer } from './boundary/settings-entries.ts';
export { BOUNDARY, type BoundaryRow } from './boundary/table.ts';
export { reachProblems, wantedPermissions } from './boundary/reach.ts';
export type { PackCommand, PackRights } from './pack-rights.ts';
export type { Launch } from './sandbox/launch.ts';
export { unmarshal, type Wire } from './wire/marshal.ts';
export type { Method, Peer } from './wire/peer.ts';

/** Where packs run: the folders that decide what `./` and `~/` in their permissions mean. */
export interface HostPlace {
  readonly workspace: string;
  readonly home: string;
  /** Tenon's own folders, which no pack may change. */
  readonly own: readonly string[];
}

/** A program of host processes other than that of packs: for plugins that run foreign code behind another interface. */
export interface HostProgram {
  /** The entry of the built program, without `.js`; `TENON_<NAME>` in the environment names another file. */
  readonly name: string;
  /** False only for code that the user trusts fully: it runs in a process of its own, but without a sandbox. */
  readonly confined: boolean;
  /** How long it may take to start, where that is longer than for packs. */
  readonly startSeconds?: number;
  /** For a process that runs several things: it may use so many times the memory of one. */
  readonly memoryShares?: number;
  /** True when code in it may bring native addons: they find the shared libraries of the system. */
  readonly libraries?: boolean;
}

/** Runs packs out of process. */
export interface PackHosts {
  /** The plugin that stands for a pack in a process of its own. */
  isolate(pack: PackToHost, place: HostPlace): Promise<Plugin>;
  /** A process of another program, held by the same sandbox, limits and supervision. Nothing starts before it is used. */
  host(pack: PackToHost, place: HostPlace, program: HostProgram): Promise<PackHost>;
  /** How the host of a pack is doing; nothing if it was never started. */
  status(id: string): HostStatus | undefined;
  /** What may be done in the name of an isolated pack; nothing for plugins that are none. */
  rightsOf(id: string): PackRights | undefined;
  /** Makes rights for foreign code that another plugin runs, under the id of `pack`: for what is started in its name. */
  lendRights(pack: PackToHost, place: HostPlace): void;
  /** Which sandbox is used here, and why the others are not. */
  sandbox(): Promise<MechanismChoice>;
  /** Imports a pack's code into this process: for packs that the user trusts fully. */
  importEntry(pack: Pick<PackToHost, 'manifest' | 'folder'>): Promise<Plugin>;
  /** Runs a pack's own tests under the sandbox; gives their exit code. */
  test(pack: PackToHost, place: HostPlace, files: readonly string[], io: TestIo): Promise<number>;
}

/** Where the output of a pack's tests goes. */
export interface TestIo {
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  readonly signal: AbortSignal;
  readonly color: boolean;
}

/** Runs packs out of process. */
export const packHosts = service<PackHosts>('pack-hosts');

export type { Permissions };

export { SHARED_MODULES } from './shared-modules.ts';
