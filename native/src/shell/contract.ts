/** Persistent shell sessions and terminals. `docs/design/shell.md` explains the semantics and the reasons. */
export interface ShellAccelerator {
  /** Starts a bash that serves commands one after the other. Throws when it cannot be started. */
  openSession(options?: SessionOptions): ShellSession;
  /** Starts a program on a terminal of its own. Throws when it cannot be started. */
  openPty(options: PtyOptions): PtySession;
}

/** How a session is set up. */
export interface SessionOptions {
  /** The bash to drive; `bash` from PATH unless told. */
  readonly bash?: string;
  /** Where the first command runs; the process's own folder unless told. */
  readonly cwd?: string;
  /** The whole environment; the process's own unless told. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A file that every new shell of the session sources, made by `createSnapshot`. */
  readonly snapshot?: string;
  /**
   * `merged` (default): one stream in exactly the order in which it was written. `separate`: every chunk says which
   * stream it came from, and the order between the two is only as good as the moment of reading.
   */
  readonly output?: 'merged' | 'separate';
  /** How long SIGINT, and after it SIGTERM, may take before the next stronger signal; 500 ms unless told. */
  readonly graceMs?: number;
  /** A command line to put before the shell's, for example a sandbox; it must let the given folder be read. */
  readonly wrap?: (sessionFolder: string) => readonly string[];
  /** The session's own folder, which is removed with it: its name starts with `tenon-shell-`, and it may exist. */
  readonly folder?: string;
}

/** A piece of output. */
export interface OutputChunk {
  /** Only valid until the consumer returns, or until the promise it returned is settled: copy what you keep. */
  readonly bytes: Uint8Array;
  readonly stream: 'merged' | 'stdout' | 'stderr';
}

/** How one command is run. */
export interface RunOptions {
  /** Receives output as it comes. While a returned promise is pending the command is held back. */
  readonly onOutput?: (chunk: OutputChunk) => void | Promise<void>;
  /** Variables that only this command sees. */
  readonly env?: Readonly<Record<string, string>>;
  /** Enter this folder first, as `cd` would. */
  readonly cwd?: string;
  /** Stop the command after this many milliseconds. */
  readonly timeoutMs?: number;
  /** Stop the command when it aborts. The promise still resolves, with outcome `cancelled`. */
  readonly signal?: AbortSignal;
}

/** How a command ended. */
export interface RunResult {
  /** Its exit status, 128 plus the signal for a killed one; null when it was stopped by us. */
  readonly exitCode: number | null;
  readonly outcome: 'exited' | 'cancelled' | 'timed-out';
  /**
   * What the next command runs in. `kept`: the same shell. `restored`: the shell ended (`exit`, `set -e`, a stop) and
   * a new one got its variables, functions, aliases, options and folder. `fresh`: it ended without leaving its state
   * (`exec`, `kill -9`, a trap on EXIT of the command's own) and a new one starts in the last known folder.
   */
  readonly shell: 'kept' | 'restored' | 'fresh';
  /** The folder in which the next command will run. */
  readonly cwd: string;
  /**
   * The command left a shell that reads commands and does not run them (`set -n`, a DEBUG trap under `extdebug`). That
   * shell was ended; the next one has, where possible, the state from before the command.
   */
  readonly switchedOff?: true;
}

/** A process that outlived the command which started it. */
export interface BackgroundProcess {
  readonly pid: number;
  readonly command: string;
}

/** A persistent shell. */
export interface ShellSession {
  /** Runs a command after those already waiting. Rejects when it cannot be run at all (bad name, missing folder). */
  run(command: string, options?: RunOptions): Promise<RunResult>;
  /** What earlier commands left running. */
  background(): readonly BackgroundProcess[];
  /** Ends one of them and all below it, SIGTERM first; false when there is no such process in this session. */
  endBackground(pid: number): Promise<boolean>;
  /** What background processes wrote between commands since the last call: the newest 256 KiB. */
  takeBackgroundOutput(): { readonly bytes: Uint8Array; readonly dropped: number };
  /** Ends the session and every process it started; resolves when they are gone. */
  close(): Promise<void>;
  /** Why the session is over; undefined while it serves. */
  readonly closedReason: string | undefined;
}

/** How a terminal is set up. */
export interface PtyOptions {
  /** The program and its arguments. */
  readonly program: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
  /**
   * Receives raw terminal output, valid until it returns or its promise is settled. While the promise is pending the
   * program is held back.
   */
  readonly onOutput?: (bytes: Uint8Array) => void | Promise<void>;
  /** The bash that guards the program; `bash` from PATH unless told. */
  readonly bash?: string;
}

/** A program on a terminal. */
export interface PtySession {
  /** Types into the terminal; false when the program does not read and the backlog is full. */
  write(data: string | Uint8Array): boolean;
  /** Tells the program about a new window size. */
  resize(columns: number, rows: number): void;
  /** Signals everything that runs on the terminal. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when the program has ended and its output was consumed; null after `close`. */
  readonly exit: Promise<{ readonly exitCode: number | null }>;
  /** Ends the program and everything it started. */
  close(): Promise<void>;
}
