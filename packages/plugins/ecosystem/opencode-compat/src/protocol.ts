/** What crosses between Tenon and a process that runs modules of OpenCode. All of it is plain data, apart from abort signals. */

/** One module that a process loads. */
export interface ModuleStart {
  readonly kind: 'plugin' | 'tool';
  readonly name: string;
  /** The real path of its code; says which module a message is about. */
  readonly file: string;
  /** What the settings of OpenCode pass to it. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** What a process is started with. */
export interface HostStart {
  /** The folder that is worked in. */
  readonly cwd: string;
  /** The repository around it. */
  readonly worktree: string;
  /** False inside a sandbox: there `fetch` is Tenon's. */
  readonly trusted: boolean;
  readonly modules: readonly ModuleStart[];
}

/** A tool that a module brings. */
export interface ToolShape {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a module brings. */
export interface ModuleShape {
  /** Hooks that Tenon calls. */
  readonly hooks: readonly string[];
  /** Hooks and other things of OpenCode that Tenon does not serve. */
  readonly unsupported: readonly string[];
  readonly tools: readonly ToolShape[];
}

/** How loading a module went. */
export type Loaded = { readonly file: string } & ({ readonly shape: ModuleShape } | { readonly failure: string });

/** Where a tool is called from. */
export interface CallPlace {
  readonly sessionID: string;
  readonly callID: string;
}

/** The hooks of OpenCode that Tenon calls. */
export const SERVED_HOOKS = [
  'event',
  'chat.message',
  'experimental.chat.system.transform',
  'permission.ask',
  'tool.execute.before',
  'tool.execute.after',
] as const;

/** One of them. */
export type ServedHook = (typeof SERVED_HOOKS)[number];
