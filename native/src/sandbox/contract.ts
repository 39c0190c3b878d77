/**
 * What an operating system can do to hold a process to a policy: the process can restrict itself, or a wrapper
 * (bubblewrap, Seatbelt) restricts a command. A policy lists what is allowed; everything else is denied.
 */

/** Whether something works here, and the version, path or reason that belongs to the answer. */
export interface Ability {
  readonly available: boolean;
  readonly detail: string;
}

/** What this machine can enforce. */
export interface SandboxProbe {
  /** `linux`, `darwin`, `win32`… as Node names it. */
  readonly platform: string;
  readonly landlockAbi: number | undefined;
  /** File and TCP port rules for the process itself. */
  readonly landlock: Ability;
  /** System call filters for the process itself. */
  readonly seccomp: Ability;
  readonly userNamespaces: Ability;
  /** The bubblewrap command, really started once. */
  readonly bubblewrap: Ability;
  readonly bubblewrapPath: string | undefined;
  readonly seatbelt: Ability;
  /** Whether this process has already given up gaining privileges. */
  readonly noNewPrivs: boolean;
  /** Signs of an outer container or sandbox. */
  readonly surroundings: readonly string[];
}

/** A part of a policy that is not enforced, and why. */
export interface Unenforced {
  readonly part: string;
  readonly reason: string;
}

/** Resource limits; what is left out stays as it is. */
export interface Limits {
  /** Private writable memory in bytes. */
  readonly dataBytes?: number | undefined;
  /** Processes and threads of the user; does not bind root. */
  readonly processes?: number | undefined;
  readonly coreBytes?: number | undefined;
  /** Size of any one file that is written. */
  readonly fileBytes?: number | undefined;
  readonly openFiles?: number | undefined;
}

/** What a process keeps when it restricts itself. Paths are absolute. */
export interface SelfPolicy {
  /** Readable files and folders. Left out, no file rule is made: all files stay as they are. */
  readonly read?: readonly string[] | undefined;
  /** Files and folders that may be read and changed. */
  readonly write?: readonly string[] | undefined;
  /** Paths that must stay out of reach; one inside an allowed path is refused, because Landlock cannot do that. */
  readonly deny?: readonly string[] | undefined;
  /** `off` (default), `any` readable file, or a list of files and folders. */
  readonly exec?: 'off' | 'any' | readonly string[] | undefined;
  /** `off` (default), `full`, or TCP to and from these ports only (no UDP, so no plain DNS). */
  readonly net?:
    | 'off'
    | 'full'
    | { readonly connect?: readonly number[]; readonly bind?: readonly number[] }
    | undefined;
  /** Unix sockets reach daemons that act outside the policy; off by default. */
  readonly unixSockets?: boolean | undefined;
  readonly limits?: Limits | undefined;
  /** Kill the process when its parent (the thread that started it) ends. */
  readonly dieWithParent?: boolean | undefined;
  /** Give up all capabilities. Default: true for `restrictAndExec`, false for `restrictSelf`. */
  readonly dropCapabilities?: boolean | undefined;
  /** Fail when a part cannot be enforced (default), instead of listing it in the report. */
  readonly strict?: boolean | undefined;
}

/** What a self-restriction does here. */
export interface RestrictionReport {
  readonly landlockAbi: number | undefined;
  readonly enforced: readonly string[];
  readonly unenforced: readonly Unenforced[];
  /** Paths of the policy that do not exist; they give no right. */
  readonly missing: readonly string[];
}

/** The program that replaces this one. */
export interface ExecTarget {
  /** An absolute path. */
  readonly file: string;
  /** Arguments after the program's own name. */
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Descriptors to hand over besides 0, 1 and 2; all others are closed. */
  readonly keepDescriptors?: readonly number[] | undefined;
}

/** A path that a wrapped command must not see: a folder turns up empty, a file unreadable. It must exist. */
export interface DeniedPath {
  readonly path: string;
  readonly directory: boolean;
}

/** What a wrapped command may see and do. Paths are absolute and exist. */
export interface CommandPolicy {
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  /** Hidden paths inside the above; the nearest listed path decides. */
  readonly deny?: readonly DeniedPath[] | undefined;
  /** Links to make where no real file is shown (`/lib` on systems with a merged `/usr`). */
  readonly links?: readonly { readonly path: string; readonly target: string }[] | undefined;
  /** Programs that may be started; left out, every visible one. */
  readonly exec?: readonly string[] | undefined;
  /** Share the host's network (default: no network). */
  readonly net?: boolean | undefined;
  /** The whole environment; left out, the caller's. Values show in the process list: keep secrets out. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** A fresh `/proc` (default: yes). */
  readonly proc?: boolean | undefined;
  /** A minimal `/dev` (default: yes). */
  readonly dev?: boolean | undefined;
  /** A private, empty `/tmp` (default: yes). */
  readonly tmp?: boolean | undefined;
  /** End the command with its starter (default: yes). */
  readonly dieWithParent?: boolean | undefined;
  /** A terminal session of its own (default: yes). */
  readonly newSession?: boolean | undefined;
  /** Hide other processes (default: yes). */
  readonly unsharePid?: boolean | undefined;
}

/** Arguments for the wrapper, and what they do not enforce. */
export interface SandboxCommandLine {
  readonly argv: readonly string[];
  readonly unenforced: readonly Unenforced[];
}

/** A command line that restricts itself under a policy and then becomes the program that is put after it. */
export interface SelfRestrictingCommand {
  /** The words before the program. Its descriptors are handed on as they are. */
  readonly argv: readonly string[];
  /** What must stand in the policy's file when the command starts. */
  readonly policy: string;
}

/** Paths that a Node process needs to start and run; those that do not exist give no right. */
export interface RuntimePaths {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** The sandbox accelerator. */
export interface Sandbox {
  /**
   * What this machine can enforce; takes some milliseconds, because it tries. From then on programs get no descriptor that this process
   * itself was started with (Linux, with the addon).
   */
  probe(): Promise<SandboxProbe>;
  /** Whether a process can restrict itself with this implementation, or why not. */
  selfRestriction(): Ability;
  /** What to add to a policy so that Node itself starts under it (Linux). */
  runtimePaths(options?: { readonly net?: boolean | undefined }): RuntimePaths;
  /** What a restriction would do here, before an exec of `program` or for this process. Changes nothing. */
  dryRun(policy: SelfPolicy, program?: string): RestrictionReport;
  /** Restricts every thread of this process for good, or throws; file rules need `restrictAndExec` before Linux 7.0. */
  restrictSelf(policy: SelfPolicy): RestrictionReport;
  /** Restricts this process for good and replaces its program. Never returns; throws on failure. */
  restrictAndExec(policy: SelfPolicy, target: ExecTarget): never;
  /** A command line around `restrictAndExec`, for programs that other code starts. Pure. */
  selfRestrictingCommand(
    policy: SelfPolicy,
    files: { readonly addon: string; readonly policyFile: string },
  ): SelfRestrictingCommand;
  /** Arguments for `bwrap`. Pure. */
  bubblewrap(policy: CommandPolicy, command: readonly string[]): SandboxCommandLine;
  /** Arguments for macOS' `sandbox-exec`. Pure. */
  seatbelt(policy: CommandPolicy, command: readonly string[]): SandboxCommandLine;
}
