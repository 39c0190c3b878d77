/** What other plugins may use of the sandbox: how a program is started so that it cannot leave its profile. */
import { type Logger, service } from '@tenon/kernel';
import type { MechanismChoice } from './find-mechanism.ts';
import type { LaunchPolicy } from './mechanisms/launch-policy.ts';
import type { PreparedLaunch, WorkingMechanism } from './mechanisms/wrap.ts';
import type { Proxy } from './network/proxy.ts';
import type { Mechanism } from './settings.ts';

export { READABLE_PARTS, RESERVED_IN_PROJECT, TRIGGERS_OF_GIT } from './places/fixed-places.ts';
export {
  inProject,
  isPlace,
  onMachine,
  type PlaceDeclaration,
  type Places,
  placeTest,
  protectedPlaces,
  protectedPlacesOf,
} from './places/protected-places.ts';
export { programFolders, type ProgramFolders } from './program-folders.ts';
export { isPrivateHost, isPublicAddress, plainHost } from './network/addresses.ts';
export { isBridge } from './network/bridge.ts';
export type { LaunchPolicy, Mechanism, MechanismChoice, PreparedLaunch, WorkingMechanism };

/** `read-only`: nothing outside of a private `/tmp` changes. `workspace-write`: the workspace too. `full`: no sandbox. */
export type Profile = 'read-only' | 'workspace-write' | 'full';

/** Paths that a program needs beside what its profile gives. They are absolute and exist when the program starts. */
export interface ExtraPaths {
  /** Readable whatever the profile hides: a runner script, a session's artifacts. */
  readonly extraRead?: readonly string[] | undefined;
  /** Writable whatever the profile says: a session's folder. */
  readonly extraWrite?: readonly string[] | undefined;
}

/** A path that must not change. While nothing is there, a file with this text stands there; without a text, an empty folder. */
export interface ClosedPath {
  readonly path: string;
  readonly text?: string | undefined;
}

/** What a program that is to be confined needs. */
export interface ConfinementRequest extends ExtraPaths {
  /** The workspace: with `workspace-write`, what the program may change. */
  readonly cwd: string;
  /** The profile of the settings when absent. A profile that is asked for and does not work here is an error. */
  readonly profile?: Profile | undefined;
  /** True when the program runs on a terminal of its own, so that it keeps it. It can never type into the user's. */
  readonly terminal?: boolean | undefined;
  /** `public`: through the proxy, every host of the public network. What the settings allow when absent. */
  readonly network?: 'public' | undefined;
  /**
   * Names in the workspace that the program itself looks for and cannot bear to find as a folder: while nothing is there, they are not
   * held, so that it may make them. What is there stays unchangeable.
   */
  readonly unheld?: readonly string[] | undefined;
  /** Paths in what it can write that must stay as they are, because others run what they name. */
  readonly closed?: readonly ClosedPath[] | undefined;
  /** Hosts that can be reached beside those of the settings, written as in `sandbox.network.allow`: those of a program's maker. */
  readonly hosts?: readonly string[] | undefined;
  /**
   * A folder of Tenon's own, for this confinement alone, that outlives this process. A program that goes on after this process was
   * killed has its network again as soon as another process wraps with the same folder. Only bubblewrap can do that.
   */
  readonly lasting?: string | undefined;
  /** True for a debugger: it may trace the other programs of its own sandbox, which sees none of the rest. Not under Landlock. */
  readonly tracing?: boolean | undefined;
}

/** How programs are started under a profile. Keep it until they have ended: it owns their way to the network. */
export interface Confinement {
  readonly profile: Profile;
  /** Words to put before the program and its arguments; empty for `full`. */
  readonly argv: readonly string[];
  /** The same with more paths, for those that are known only when the program is about to start. */
  argvWith(extra: ExtraPaths): readonly string[];
  /** Variables to set, or to remove where undefined, in the environment that the program is started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Which hosts can be reached; `all` where nothing is confined. */
  readonly network: 'none' | 'some' | 'public' | 'all';
  /** Whether the same profile can be had with `network: 'public'`. */
  readonly canOpenNetwork: boolean;
  /** Whether a host can be reached, as far as the list of hosts says. */
  reaches(host: string): boolean;
  /** Whether the profile keeps programs from reading or changing a path of this machine. Links count as their target. */
  refuses(access: 'read' | 'write', path: string): boolean;
  /** The hosts that the proxy has refused since this was asked last. */
  takeRefusedHosts(): readonly string[];
  /** What is held for the sandbox stays held as long as this process lives, also when Tenon is killed before it. */
  outlive?(pid: number): void;
  /** One line for people and for the model: what is allowed. */
  describe(): string;
  /** Closes what belongs to the confinement. Programs that still run lose the network. */
  dispose(): Promise<void>;
}

/** A confinement that confines nothing. */
export const UNCONFINED: Confinement = {
  profile: 'full',
  argv: [],
  argvWith: () => [],
  env: {},
  network: 'all',
  canOpenNetwork: false,
  reaches: () => true,
  refuses: () => false,
  takeRefusedHosts: () => [],
  describe: () => 'No sandbox: programs can change every file of the user and use the network.',
  dispose: async () => undefined,
};

/** Starts programs under a profile. */
export interface Sandboxes {
  /** Whether nothing may run outside of a sandbox, whoever asks for it; `wrap` then throws for `full`. */
  readonly isRequired?: boolean;
  /** Folders of skills and plugins that the user has installed, as real paths: programs may read and run what is there. */
  programFolders?(cwd: string): Promise<readonly string[]>;
  /** The profile that `wrap` takes when it is told none. */
  profileFor(scope: { readonly cwd: string }): Promise<Profile>;
  /** Throws an error that says what to do next when the profile cannot be enforced here. */
  wrap(request: ConfinementRequest): Promise<Confinement>;
}

/** Starts programs under a profile. */
export const sandboxes = service<Sandboxes>('sandboxes');

/** Folders that are there only because sandboxes hold names, as absolute paths; they are nobody's work. */
export async function heldFolders(): Promise<readonly string[]> {
  return (await import('./held-places.ts')).heldFolders();
}

/** Keeps a name that does not exist yet from being used: an empty folder stands there until the returned function is called. */
export async function holdName(path: string): Promise<() => void> {
  return (await import('./held-places.ts')).hold({ path });
}

/** Finds the strongest mechanism that works here, or the one asked for. */
export async function chooseMechanism(wanted: Mechanism | 'auto'): Promise<MechanismChoice> {
  return (await import('./mechanisms/wrap.ts')).chooseMechanism(wanted);
}

/** Prepares the start of one process under a policy of its own, for those who need other views than the profiles. */
export async function prepareLaunch(choice: WorkingMechanism, policy: LaunchPolicy): Promise<PreparedLaunch> {
  return (await import('./mechanisms/wrap.ts')).prepareLaunch(choice, policy);
}

/** A proxy that connects to the hosts of a list and to nothing else. */
export type HostProxy = Proxy;

/**
 * Starts the sandbox's proxy on the loopback interface, for a program that heeds a proxy where no sandbox makes it do so. `hosts` is
 * written as `sandbox.network.allow`; with `public`, every host of the public network can be reached, too.
 */
export async function startHostProxy(
  { hosts, public: isPublic }: { readonly hosts: readonly string[]; readonly public: boolean },
  log: Logger,
): Promise<HostProxy> {
  const { parseHostRules, PUBLIC_HOSTS } = await import('./network/host-rules.ts');
  const { startProxy } = await import('./network/proxy.ts');
  return startProxy({ loopback: true }, [...parseHostRules(hosts), ...(isPublic ? [PUBLIC_HOSTS] : [])], log);
}

export { isSecretVariable, withheldVariables } from './environment.ts';
export { errors } from './errors.ts';
