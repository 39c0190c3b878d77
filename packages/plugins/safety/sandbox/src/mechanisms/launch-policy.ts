/** What a process that is to be confined may see and do: the one description that every mechanism understands. */

/** A path that is not seen. */
export interface HiddenPath {
  readonly path: string;
  readonly directory: boolean;
  /** Made and removed by others as they like: when it is gone, the program starts all the same. */
  readonly fleeting?: boolean | undefined;
}

/** A view of the machine. Paths are absolute, exist, and lead through no links. There is no network but a proxy. */
export interface LaunchPolicy {
  /** `all`: everything that is not hidden can be read. `node`: only what Node, and the programs below, need to run. */
  readonly system: 'all' | 'node';
  /** Programs it may start, by path; `any` is every one that it can read. */
  readonly programs: 'any' | readonly string[];
  /** Readable, also inside of something hidden. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Unchangeable although they lie in something writable. */
  readonly protect: readonly string[];
  /** Names that nothing has and nothing may get, because Tenon, git or an editor would run what is there. */
  readonly reserved: readonly string[];
  /** The same for names that programs read as files: what they find there meanwhile. */
  readonly reservedFiles?: readonly { readonly path: string; readonly text: string }[] | undefined;
  /** Folders that others may remove at any moment. What is protected in them goes with them, and the program starts all the same. */
  readonly passing?: readonly string[] | undefined;
  readonly hidden: readonly HiddenPath[];
  /** The project. What is writable or protected in it is checked once more after it was mounted, where a shell can do that. */
  readonly workspace: string;
  /** A home folder that turns up empty and is gone afterwards; undefined shows the real one. */
  readonly emptyHome: string | undefined;
  /** The working folder, where it is not that of whoever starts the process; `/tmp` is the folder for temporary files. */
  readonly cwd?: string | undefined;
  /** Megabytes of private memory, and of each folder for temporary files. */
  readonly limits?: { readonly memoryMb: number; readonly scratchMb: number } | undefined;
  /** False: it makes no sockets at all, so that it cannot talk to those whose socket files it sees. Bubblewrap alone can do that. */
  readonly sockets?: boolean | undefined;
  /** Whether a program may trace the others in its sandbox: for debuggers. */
  readonly tracing?: boolean | undefined;
  /** What to do where parts of a writable folder cannot be protected: leave more of it unwritable, or refuse. */
  readonly whenPartial: 'narrow' | 'refuse';
}
