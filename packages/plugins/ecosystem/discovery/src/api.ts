/** What other plugins may use of discovery: one slot for each kind of thing, the shape of the things, and the service that finds them. */
import { service, type Slot, slot, type TenonError } from '@tenon/kernel';
import type {
  AgentDefinition,
  Bundle,
  CommandFile,
  ContextFile,
  ExtensionModule,
  ExternalHook,
  ForeignSettings,
  HookModule,
  InstructionFile,
  LspServerConfig,
  McpServerConfig,
  OpencodeModule,
  Rule,
  Skill,
  SshHost,
  ThemeFile,
  ToolModule,
} from './kinds.ts';

export type * from './kinds.ts';

/** AGENTS.md, CLAUDE.md, GEMINI.md and their like. */
export const contextFiles = slot<ContextFile>('context-files', { access: 'packs' });
/** Agent Skills. */
export const skills = slot<Skill>('skills');
/** Rules for the rulebook and for the stream. */
export const rules = slot<Rule>('rules');
/** Slash commands. */
export const commands = slot<CommandFile>('commands');
/** Prompt templates. */
export const prompts = slot<CommandFile>('prompts');
/** Instructions for some files. */
export const instructions = slot<InstructionFile>('instructions');
/** Hooks that are commands. */
export const externalHooks = slot<ExternalHook>('external-hooks', { access: 'packs' });
/** Hooks that are modules of pi or oh-my-pi. */
export const hookModules = slot<HookModule>('hook-modules');
/** Custom tools of pi or oh-my-pi. */
export const toolModules = slot<ToolModule>('tool-modules');
/** Definitions of subagents. */
export const agents = slot<AgentDefinition>('agents');
/** MCP servers. */
export const mcpServers = slot<McpServerConfig>('mcp-servers', { access: 'packs' });
/** Language servers. */
export const lspServers = slot<LspServerConfig>('lsp-servers');
/** Extensions of pi or oh-my-pi. */
export const extensionModules = slot<ExtensionModule>('extension-modules');
/** Plugins and custom tools of OpenCode. */
export const opencodeModules = slot<OpencodeModule>('opencode-modules');
/** Settings of other tools, for those who want to follow them. */
export const foreignSettings = slot<ForeignSettings>('foreign-settings');
/** SSH hosts. */
export const sshHosts = slot<SshHost>('ssh-hosts');
/** Themes. */
export const themes = slot<ThemeFile>('themes');
/** Folders that hold many kinds at once: Claude and Codex plugins, Gemini extensions, marketplace installs. */
export const bundles = slot<Bundle>('bundles');

/** One thing that was found. */
export interface Discovered<V> {
  readonly key: string;
  readonly value: V;
  /** The family that found it: `native`, `claude`, `codex`… */
  readonly family: string;
  readonly level: 'user' | 'project';
  readonly file: string;
  /** For what a project brings: the folder that must be trusted before it may run. It can lie above the working folder. */
  readonly project?: string;
  /** True for texts of a project that the user has not trusted: they are marked where the model reads them. */
  readonly isUntrusted?: boolean;
  /** The bundle that it is a part of. */
  readonly bundle?: string;
  /** The isolated pack that brings it. It is nobody's own, whatever the level: it counts with the permissions of the pack. */
  readonly pack?: string;
  readonly priority: number;
}

/** Something that is not used. */
export interface Ignored<V> extends Discovered<V> {
  /** Why: shadowed by which file, switched off by which setting, the same file again. */
  readonly reason: string;
}

/** What is there of one kind. */
export interface Findings<V> {
  readonly items: readonly Discovered<V>[];
  readonly ignored: readonly Ignored<V>[];
  readonly problems: readonly TenonError[];
}

/** Finds things of a kind for a folder. Nothing that is found is run here. */
export interface Discovery {
  load<V>(kind: Slot<V>, cwd: string, signal?: AbortSignal): Promise<Findings<V>>;
  /** Looks again the next time. */
  invalidate(): void;
}

/** Finds what users have, wherever it is. */
export const discovery = service<Discovery>('discovery');

export { errors } from './errors.ts';
export { splitFrontmatter } from './frontmatter.ts';

/** How families are written; a plugin of its own that needs `sourceFiles` uses `registerFamily(ctx, family, files)`. */
export { type DenialItem, discoveryDenials } from './denials.ts';
export type { Document } from './document-cache.ts';
export { type Family, type FamilyLook, type Look, looksFor, reads, registerFamily } from './family.ts';
export { Fields, present, splitList } from './fields.ts';
export type { DataFormat } from './formats.ts';
export { type Finding, inside, isRecord, type Level, type Origin, type Roots, Search } from './search.ts';
export {
  type FolderEntry,
  type Reading,
  sourceFiles,
  type SourceFiles,
  STATE_LIMIT,
  TEXT_LIMIT,
} from './source-files.ts';
export * from './readers/index.ts';
export { matches as matchesName, refusal } from './switches.ts';
