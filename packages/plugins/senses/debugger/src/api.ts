/** What other plugins may use of the debugger: the slot for debug adapters, and what a call reports to programs. */
import { slot } from '@tenon/kernel';

/** How Tenon and an adapter talk to each other. */
export type AdapterTransport =
  /** Over the adapter's standard input and output. */
  | 'stdio'
  /** The adapter connects to `{port}`, where Tenon listens. */
  | 'dial'
  /** The adapter listens on `{port}`; it can serve several connections. */
  | 'listen'
  /** Not a program: Tenon itself speaks the inspector protocol of Node. */
  | 'node-inspector';

/** A kind of program that an adapter can start. */
export interface LaunchForm {
  /** File endings, with the dot. */
  readonly extensions?: readonly string[];
  /** Compiled programs: `go` are those that Go's linker made, `native` all others. */
  readonly compiled?: readonly ('go' | 'native')[];
  /** The program may be a folder that holds a file of one of these names. */
  readonly foldersWith?: readonly string[];
  /** The command that would run the program without a debugger; approval judges it. */
  readonly runs: readonly string[];
  /** Arguments of the DAP request; `{program}`, `{args}`, `{cwd}`, `{python}` and `{stopOnEntry}` are filled in. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A debug adapter, as data. */
export interface DapAdapterData {
  /** For people. */
  readonly name: string;
  /** Command lines to try, best first; `{port}` is filled in. */
  readonly commands: readonly (readonly string[])[];
  /** Arguments with which a program shows that it can be used: it must end with 0. */
  readonly probe?: readonly string[];
  readonly transport?: AdapterTransport;
  /** The adapter's own name for its kind, as its documentation tells; the key when absent. */
  readonly adapterId?: string;
  /** What to install when it is missing. */
  readonly install?: string;
  /** True when it traces processes as the operating system's debuggers do. */
  readonly traces?: boolean;
  readonly launch: readonly LaunchForm[];
  /** Arguments of the request `attach`; `{pid}`, `{host}`, `{port}` and `{cwd}` are filled in. */
  readonly attach?: {
    readonly pid?: Readonly<Record<string, unknown>>;
    readonly port?: Readonly<Record<string, unknown>>;
  };
  /** True when a port to attach to speaks DAP itself, so that no adapter is started for it. */
  readonly portIsAdapter?: boolean;
  /** Variables for the adapter and its program; `{scratch}` is a path for temporary files. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables that are set in a sandbox only, where the user has not set them. */
  readonly confinedEnv?: Readonly<Record<string, string>>;
}

/** Adapters by name. All there is to say stands in the data of an entry, a `DapAdapterData`; the value is an empty object. */
export const dapAdapters = slot<object>('dap-adapters');

/** Where a program stands. */
export type DebugState = 'starting' | 'running' | 'stopped' | 'ended';

/** A place in a program. */
export interface DebugPlace {
  readonly name: string;
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
}

/** A debug session at one moment. */
export interface DebugSnapshot {
  readonly id: string;
  readonly adapter: string;
  readonly program: string;
  readonly cwd: string;
  readonly state: DebugState;
  /** Why it stopped: `breakpoint`, `step`, `exception`… */
  readonly stopReason?: string;
  readonly threadId?: number;
  readonly frameId?: number;
  readonly place?: DebugPlace;
  readonly exitCode?: number;
  /** Why it ended, when not by itself. */
  readonly endReason?: string;
  readonly breakpoints: number;
  readonly outputBytes: number;
  readonly isOutputCut: boolean;
  /** What confines the program. */
  readonly sandbox: string;
  /** Sessions that the adapter has asked for: processes that the program has started. */
  readonly children?: readonly string[];
}

/** What a call of `debug` gives to programs: always the action, and what belongs to it. */
export interface DebugDetails {
  readonly action: string;
  readonly snapshot?: DebugSnapshot;
  readonly [key: string]: unknown;
}

export { errors } from './errors.ts';
