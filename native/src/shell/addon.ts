/** An event of a session or terminal engine. */
export interface ShellEngineEvent {
  readonly kind: 'output' | 'done' | 'closed' | 'exit';
  /** 0: output of background processes. */
  readonly command: number;
  readonly stream?: 'merged' | 'stdout' | 'stderr';
  readonly data?: Uint8Array;
  /** Handed back to `release` when `data` was consumed. */
  readonly receipt?: number;
  readonly status?: number;
  readonly outcome?: 'exited' | 'cancelled' | 'timed-out';
  readonly shell?: 'kept' | 'restored' | 'fresh';
  readonly switchedOff?: boolean;
  readonly text?: string;
}

/** An event as the addon tells it: output lies in the slab. */
export interface NativeShellEvent extends Omit<ShellEngineEvent, 'data' | 'receipt'> {
  readonly slot?: number;
  readonly length?: number;
}

/** The raw options of a session. */
export interface SessionEngineOptions {
  readonly bash: string;
  readonly wrap: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly snapshot?: string;
  readonly folder: string;
  readonly separateStderr: boolean;
  readonly graceMs: number;
}

/** The raw request of one command. */
export interface RunRequest {
  readonly id: number;
  readonly command: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/** What a native session or terminal lends its output from. */
interface Lender {
  /** The memory of all output. It is used again after `release`. */
  slab(): Uint8Array;
  slotBytes(): number;
}

/** A session engine, native or JavaScript; `session.ts` puts the contract on it. */
export interface SessionEngine {
  run(request: RunRequest): void;
  cancel(id: number): void;
  /** Says that the output with this receipt was consumed, which lets more come. */
  release(receipt: number): void;
  background(): { pid: number; command: string }[];
  signalBackground(pid: number, signal: number): boolean;
  close(): void;
}

/** The raw options of a native terminal. */
export interface PtyEngineOptions {
  readonly bash: string;
  readonly program: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly columns: number;
  readonly rows: number;
}

/** A terminal engine, native or JavaScript. */
export interface PtyEngine {
  write(data: Uint8Array): boolean;
  resize(columns: number, rows: number): void;
  signal(signal: number): void;
  release(receipt: number): void;
  close(): void;
}

/** What the addon exports for shells. */
export interface ShellAddon {
  readonly NativeShellSession: new (
    options: SessionEngineOptions,
    onEvent: (event: NativeShellEvent) => void,
  ) => SessionEngine & Lender;
  readonly NativePty: new (options: PtyEngineOptions, onEvent: (event: NativeShellEvent) => void) => PtyEngine & Lender;
}
