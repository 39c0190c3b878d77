import type {
  AssistantMessage,
  ImageContent,
  TextContent,
  ThinkingLevel,
  ToolResultMessage,
  UserMessage,
} from '@tenon/models/api';

/** The version of the file format; older files are read, newer ones refused. */
export const SESSION_VERSION = 3;

/** The first line of a session file. */
export interface SessionHeader {
  readonly type: 'session';
  readonly version: typeof SESSION_VERSION;
  readonly id: string;
  readonly timestamp: string;
  readonly cwd: string;
  readonly title?: string;
  readonly titleSource?: 'auto' | 'user';
  /** Where it came from: a session id or path. Opaque. */
  readonly parentSession?: string;
}

/** Added by a plugin; reaches the model. */
export interface CustomMessage {
  readonly role: 'custom';
  readonly customType: string;
  readonly content: string | readonly (TextContent | ImageContent)[];
  readonly display: boolean;
  readonly details?: unknown;
  readonly attribution?: 'user' | 'agent';
  readonly timestamp: number;
}

/** A command that the user ran in the session (`!command`). */
export interface BashExecutionMessage {
  readonly role: 'bashExecution';
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
  readonly excludeFromContext?: boolean;
  readonly timestamp: number;
}

/** Files that the user mentioned, with their content. */
export interface FileMentionMessage {
  readonly role: 'fileMention';
  readonly files: readonly {
    readonly path: string;
    readonly content: string;
    readonly lineCount?: number;
    readonly image?: ImageContent;
  }[];
  readonly timestamp: number;
}

/** What an abandoned branch was about. */
export interface BranchSummaryMessage {
  readonly role: 'branchSummary';
  readonly summary: string;
  readonly fromId: string;
  readonly timestamp: number;
}

/** What was said before the kept part. */
export interface CompactionSummaryMessage {
  readonly role: 'compactionSummary';
  readonly summary: string;
  readonly shortSummary?: string;
  readonly tokensBefore: number;
  readonly timestamp: number;
}

/** Every message that a session can hold. */
export type AgentMessage =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | CustomMessage
  | BashExecutionMessage
  | FileMentionMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

interface EntryBase {
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

/** The content of each entry type, without id, parent and time. */
export interface EntryBodies {
  readonly message: { readonly message: AgentMessage };
  readonly model_change: { readonly model: string; readonly role?: string };
  readonly thinking_level_change: { readonly thinkingLevel: ThinkingLevel };
  readonly service_tier_change: { readonly serviceTier: string | null };
  readonly compaction: {
    readonly summary: string;
    readonly shortSummary?: string;
    readonly firstKeptEntryId: string;
    readonly tokensBefore: number;
    readonly details?: unknown;
    readonly preserveData?: Readonly<Record<string, unknown>>;
    readonly fromExtension?: boolean;
  };
  readonly branch_summary: {
    readonly fromId: string;
    readonly summary: string;
    readonly details?: unknown;
    readonly fromExtension?: boolean;
  };
  readonly custom: { readonly customType: string; readonly data?: unknown };
  readonly custom_message: Omit<CustomMessage, 'role' | 'timestamp'>;
  readonly label: { readonly targetId: string; readonly label?: string };
  readonly ttsr_injection: { readonly injectedRules: readonly string[] };
  readonly mcp_tool_selection: { readonly selectedToolNames: readonly string[] };
  readonly session_init: {
    readonly systemPrompt: string;
    readonly task: string;
    readonly tools: readonly string[];
    readonly outputSchema?: unknown;
  };
  readonly mode_change: { readonly mode: string; readonly data?: unknown };
}

/** A type of entry. */
export type EntryType = keyof EntryBodies;

/** One line of a session file after the header. */
export type SessionEntry = { [T in EntryType]: EntryBase & { readonly type: T } & EntryBodies[T] }[EntryType];

/** An entry's place in the tree, without what it holds. */
export interface EntryPlace {
  readonly id: string;
  readonly type: string;
  readonly parentId: string | null;
}

/**
 * The `customType` of an entry that takes the output of earlier tool calls out of the context. The file is only ever
 * appended to: the outputs stay in it, and programs that do not know this entry see them.
 */
export const PRUNED_OUTPUT = 'tenon.pruned-output';

/** The data of such an entry. */
export interface PrunedOutput {
  /** Entries of tool results, and about how many tokens each had. */
  readonly results: readonly { readonly entryId: string; readonly tokens: number }[];
}

/** What the model reads in place of an output that was taken out. */
export function prunedNotice(tokens: number): string {
  return `[Output truncated - ${tokens} tokens]`;
}

/** What an entry takes out of the context; nothing for other entries. */
export function prunedIn(entry: SessionEntry | undefined): PrunedOutput['results'] {
  if (entry?.type !== 'custom' || entry.customType !== PRUNED_OUTPUT) return [];
  const { results } = (entry.data ?? {}) as Partial<PrunedOutput>;
  return Array.isArray(results) ? results.filter(isPruned) : [];
}

function isPruned(result: unknown): result is PrunedOutput['results'][number] {
  const { entryId, tokens } = (result ?? {}) as Record<string, unknown>;
  return typeof entryId === 'string' && typeof tokens === 'number';
}

/** An entry of a type that this version does not know; kept as it is and passed over. */
export type UnknownEntry = EntryBase & { readonly type: string };

/** What the model and the mode see of a session: the active branch, after compaction. */
export interface SessionContext {
  readonly messages: readonly AgentMessage[];
  readonly thinkingLevel: ThinkingLevel;
  readonly serviceTier: string | null | undefined;
  /** Role -> `provider/id`. */
  readonly models: Readonly<Record<string, string>>;
  readonly injectedTtsrRules: readonly string[];
  readonly selectedMcpTools: readonly string[];
  readonly mode: string;
  readonly modeData: unknown;
}
