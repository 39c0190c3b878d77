/**
 * What crosses between Tenon and the runtime of one extension, in a process of its own or in Tenon's. All of it is plain
 * data, apart from abort signals, functions and async iterables in the arguments of a call.
 */

import type { ScreenTheme } from '@tenon/host';

/** Which factory a module has. */
export type ModuleKind = 'extension' | 'hook' | 'tool';

/** What a runtime is started with. */
export interface RuntimeStart {
  readonly kind: ModuleKind;
  readonly name: string;
  readonly file: string;
  readonly cwd: string;
  readonly home: string;
  /** False inside a sandbox. */
  readonly trusted: boolean;
}

/** What a process that runs extensions is started with. */
export interface HostStart {
  readonly cwd: string;
  /** False inside a sandbox: there `fetch` is Tenon's. */
  readonly trusted: boolean;
  readonly members: readonly RuntimeStart[];
}

/** The session that something is about. */
export interface SessionScope {
  /** Absent outside of a session. */
  readonly session?: string;
  readonly cwd: string;
  /** The event whose handler runs there, if one does; what the handler asks for comes back with it. */
  readonly turn?: number;
}

/** A tool that an extension registered. */
export interface ToolShape {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What it says of its own risk. */
  readonly approval?: 'read' | 'write' | 'exec';
  /** True when it is not offered from the start. */
  readonly inactive: boolean;
  readonly sequential?: boolean;
  readonly guidelines: readonly string[];
  readonly renders: boolean;
}

/** A slash command that an extension registered. */
export interface CommandShape {
  readonly name: string;
  readonly description?: string;
  readonly completes: boolean;
}

/** A key that an extension wants to hear of. */
export interface ShortcutShape {
  readonly key: string;
  readonly description?: string;
}

/** A flag that an extension would like on the command line. */
export interface FlagShape {
  readonly name: string;
  readonly type: 'boolean' | 'string';
  readonly description?: string;
  readonly default?: string | boolean;
}

/** A model of a provider that an extension brings. */
export interface ProviderModelShape {
  readonly id: string;
  readonly name: string;
  readonly api?: string;
  readonly baseUrl?: string;
  readonly reasoning: boolean;
  readonly input: readonly ('text' | 'image')[];
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A provider of models that an extension brings. */
export interface ProviderShape {
  readonly name: string;
  readonly title?: string;
  readonly baseUrl?: string;
  readonly api?: string;
  /** As the runtime resolved it: variables are looked up there, where only granted ones are visible. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly models: readonly ProviderModelShape[];
  /** True when the extension speaks the protocol itself. */
  readonly streams: boolean;
  readonly logsIn: boolean;
}

/** A model that an extension offers, which names a real one for each request. */
export interface VirtualModelShape {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  readonly thinkingLevels: readonly string[];
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly input: readonly ('text' | 'image')[];
}

/** Why a request of a virtual model is made. */
export type RouteReason = 'user' | 'continuation' | 'retry' | 'direct';

/** One request of a virtual model, as its extension is asked about it. */
export interface RouteQuestion {
  readonly model: Readonly<Record<string, unknown>>;
  readonly thinkingLevel: string;
  readonly reason: RouteReason;
  readonly previous?: Readonly<Record<string, unknown>>;
  readonly failed?: Readonly<Record<string, unknown>>;
  readonly state?: unknown;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

/** The model that an extension names for one request. */
export interface RouteAnswer {
  readonly provider: string;
  readonly id: string;
  readonly thinkingLevel?: string;
  /** What is kept for the next request; absent when it stays as it is. */
  readonly state?: { readonly value: unknown };
}

/** An MCP server that an extension registered, in the form of `mcp.json`. */
export interface McpServerShape {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** A thought of the model, as extensions draw something below it. */
export interface ThoughtDrawing {
  readonly text: string;
  /** Its place among all parts of the answer. */
  readonly contentIndex: number;
  /** Its place among the thoughts of the answer. */
  readonly thinkingIndex: number;
}

/** What a tool that another tool called came to, in the form of pi. */
export interface NestedOutcome {
  readonly toolCall: {
    readonly type: 'toolCall';
    readonly id: string;
    readonly name: string;
    readonly arguments: unknown;
  };
  readonly result: { readonly content: readonly unknown[]; readonly details?: unknown };
  readonly isError: boolean;
  readonly durationMs?: number;
}

/** Stands for every tool. */
export const ANY_TOOL = '*';

/** Everything that an extension registered. */
export interface ExtensionShape {
  readonly label?: string;
  readonly events: readonly string[];
  readonly tools: readonly ToolShape[];
  readonly commands: readonly CommandShape[];
  readonly shortcuts: readonly ShortcutShape[];
  readonly flags: readonly FlagShape[];
  /** Types of messages that it draws. */
  readonly renderers: readonly string[];
  /** Types of entries without a message that it draws. */
  readonly entryRenderers: readonly string[];
  /** Tools of others whose calls and results it draws; `ANY_TOOL` when it decides for each. */
  readonly toolRenderers: readonly string[];
  /** True when it changes Markdown before it is shown. */
  readonly transformsMarkdown: boolean;
  /** True when it draws something below the model's thoughts. */
  readonly drawsThoughts: boolean;
  /** True when it listens to the bus that extensions share. */
  readonly listens: boolean;
  readonly providers: readonly ProviderShape[];
  readonly virtualModels: readonly VirtualModelShape[];
  readonly mcpServers: readonly McpServerShape[];
}

/** Nothing registered. */
export const EMPTY_SHAPE: ExtensionShape = {
  events: [],
  tools: [],
  commands: [],
  shortcuts: [],
  flags: [],
  renderers: [],
  entryRenderers: [],
  toolRenderers: [],
  transformsMarkdown: false,
  drawsThoughts: false,
  listens: false,
  providers: [],
  virtualModels: [],
  mcpServers: [],
};

/** What a runtime knows of the screen; told anew when it changes. */
export interface ScreenState {
  readonly columns: number;
  readonly rows: number;
  readonly theme: ScreenTheme;
  readonly themes: readonly string[];
  readonly ownKeys: readonly string[];
}

/** What a session is doing, for the getters that answer at once. */
export interface SessionState {
  readonly isIdle: boolean;
  readonly pending: boolean;
  readonly hasUI: boolean;
  /** Whether components can be shown. */
  readonly hasScreen: boolean;
  readonly model?: Readonly<Record<string, unknown>>;
  readonly thinking: string;
  readonly contextTokens: number;
  readonly contextWindow: number;
  readonly activeTools: readonly string[];
}

/** A part of a session: what the other side does not have yet. */
export interface SessionPage {
  readonly session: string;
  readonly file?: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly leafId: string | null;
  /** Entries after those that the asking side knows. */
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly labels: Readonly<Record<string, string>>;
  readonly more: boolean;
}

/** The way from a runtime to Tenon. */
export interface Bridge {
  /** An answer at once; while it is waited for, nothing else happens in the runtime. */
  ask(method: string, ...args: readonly unknown[]): unknown;
  call(method: string, ...args: readonly unknown[]): Promise<unknown>;
}
