/** The shape of what is discovered, the same whichever tool it was written for. */

/** Text that goes into every conversation. */
export interface ContextFile {
  readonly path: string;
  readonly content: string;
  /** Folders between it and the working folder; user files have none. */
  readonly depth?: number;
  /** `system` stands in the place of the system prompt, `append` is added to it as it is; the others are instructions. */
  readonly role?: 'system' | 'append';
}

/** A folder with a SKILL.md. The body is read when it is needed. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The SKILL.md. */
  readonly file: string;
  readonly folder: string;
  readonly allowedTools?: readonly string[];
  /** Words in a prompt that make it worth mentioning. */
  readonly triggers?: readonly string[];
  readonly priority?: number;
  readonly globs?: readonly string[];
  readonly alwaysApply?: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A rule: always there, listed in the rulebook, or watching the stream. */
export interface Rule {
  readonly name: string;
  readonly path: string;
  readonly content: string;
  readonly description?: string;
  readonly globs?: readonly string[];
  readonly alwaysApply?: boolean;
  /** Regular expressions that the stream is matched against; a rule that has some is a stream rule. */
  readonly condition?: readonly string[];
  readonly scope?: readonly string[];
  readonly interruptMode?: 'never' | 'prose-only' | 'tool-only' | 'always';
}

/** A command or a prompt template. */
export interface CommandFile {
  /** With its namespace: `git:commit`. */
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly description?: string;
  readonly argumentHint?: string;
  readonly allowedTools?: readonly string[];
  readonly model?: string;
  /** How arguments and inclusions are written: Markdown with `$1`, `!` and `@`, or Gemini's TOML with `{{args}}` and `!{}`. */
  readonly syntax: 'markdown' | 'gemini';
  /** What `${CLAUDE_PLUGIN_ROOT}` and its like stand for. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Instructions for files that match. */
export interface InstructionFile {
  readonly name: string;
  readonly path: string;
  readonly content: string;
  /** Globs; without them, for all files. */
  readonly applyTo?: readonly string[];
  readonly description?: string;
}

/** A command that is run when something happens. */
export interface ExternalHook {
  readonly dialect: 'claude' | 'codex' | 'gemini' | 'cursor' | 'copilot' | 'windsurf' | 'cline';
  /** As the dialect spells it: `PreToolUse`, `BeforeTool`… */
  readonly event: string;
  readonly matcher?: string;
  /**
   * `command` is run by the shell; `prompt` is a question to a model; `http` is an address that JSON is posted to; `notify` is an
   * argument list that gets one JSON argument.
   */
  readonly type: 'command' | 'prompt' | 'http' | 'notify';
  readonly command?: string;
  readonly argv?: readonly string[];
  /** Where it runs, from the folder that is usual for its dialect. */
  readonly cwd?: string;
  readonly prompt?: string;
  readonly url?: string;
  /** Headers for the address; `$NAME` stands for a variable of the environment that `allowedEnvVars` lists. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnvVars?: readonly string[];
  readonly timeoutMs?: number;
  readonly variables?: Readonly<Record<string, string>>;
  readonly path: string;
  /** A permission rule that a call must fit, too: `Bash(git *)`. */
  readonly condition?: string;
  /** Nobody waits for it, and what it says does not count. */
  readonly isAsync?: boolean;
  /** True when a hook that fails refuses. */
  readonly failClosed?: boolean;
  /** How often it may make an agent go on; null for as often as it likes. */
  readonly loopLimit?: number | null;
}

/** A module with a factory for hooks. */
export interface HookModule {
  readonly name: string;
  readonly path: string;
}

/** A module with a factory for tools. */
export interface ToolModule {
  readonly name: string;
  readonly path: string;
}

/** A module with a factory for an extension. */
export interface ExtensionModule {
  readonly name: string;
  readonly path: string;
  /** The folder of its package, when it has one. */
  readonly folder?: string;
}

/** A module written for OpenCode, or the package of one that its settings name. */
export interface OpencodeModule {
  readonly name: string;
  /** The file; for a package, the settings file that names it. */
  readonly path: string;
  readonly kind: 'plugin' | 'tool';
  /** As the settings name it: `name`, `name@version`, a path or a file: address. */
  readonly package?: string;
  /** What the settings pass to it. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A subagent. */
export interface AgentDefinition {
  readonly name: string;
  readonly path: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly tools?: readonly string[];
  readonly model?: string;
  readonly thinking?: string;
  /** Agents that it may start; `*` for all. */
  readonly spawns?: readonly string[];
  /** JSON Schema of what it gives back. */
  readonly output?: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How to reach an MCP server. Values are as written; whoever starts it resolves variables by `variableRules`. */
export interface McpServerConfig {
  readonly name: string;
  readonly path: string;
  readonly type: 'stdio' | 'http' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly enabled?: boolean;
  readonly timeoutMs?: number;
  readonly auth?: Readonly<Record<string, unknown>>;
  readonly oauth?: Readonly<Record<string, unknown>>;
  /** Names of tools to offer or to leave out. */
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
  /** `names`: a value may be the name of a variable or `!command`; `braces`: `${VAR}` and `${VAR:-default}`; `vscode`: `${input:id}`, `${env:VAR}`, `${workspaceFolder}`; `opencode`: `{env:VAR}`, `{file:path}`. */
  readonly variableRules: readonly ('names' | 'braces' | 'vscode' | 'opencode')[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** How to start a language server. */
export interface LspServerConfig {
  readonly name: string;
  readonly path: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Extension (`.ts`) to language id. */
  readonly languages: Readonly<Record<string, string>>;
  readonly rootMarkers?: readonly string[];
  readonly initializationOptions?: unknown;
  readonly settings?: unknown;
  readonly enabled?: boolean;
}

/** Settings of another tool, as they are. */
export interface ForeignSettings {
  readonly path: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A host that can be reached by SSH. */
export interface SshHost {
  readonly name: string;
  readonly path: string;
  readonly host: string;
  readonly user?: string;
  readonly port?: number;
  readonly identityFile?: string;
  readonly description?: string;
}

/** A theme file. */
export interface ThemeFile {
  readonly name: string;
  readonly path: string;
}

/** A folder that holds many kinds at once. */
export interface Bundle {
  readonly name: string;
  readonly folder: string;
  readonly format: 'claude' | 'codex' | 'gemini' | 'pi';
  readonly level: 'user' | 'project';
  /** What its manifest says. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Set when it must not be used, and why (a file was tampered with). */
  readonly disabled?: string;
}
