/** What a conversation of another agent is, before it becomes a session. */
import type { ImageContent, StopReason, TextContent, ThinkingContent, Usage } from '@tenon/models/api';

/** An agent whose conversations can be read. */
export type AgentId = 'claude' | 'codex' | 'gemini' | 'pi' | 'omp';

/** Their names. */
export const AGENT_NAMES: Readonly<Record<AgentId, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  pi: 'pi',
  omp: 'oh-my-pi',
};

/** A conversation that was found, from its file's name and first lines. */
export interface Found {
  readonly agent: AgentId;
  readonly id: string;
  /** In the order in which they were begun; mostly there is one. */
  readonly files: readonly string[];
  readonly modifiedMs: number;
  readonly bytes: number;
  readonly cwd: string | undefined;
}

/** Text and images. */
export type Said = TextContent | ImageContent;

/** What a tool gave back. */
export interface Result {
  readonly content: readonly Said[];
  readonly isError: boolean;
}

/** A call of a tool of the other agent. */
export interface Call {
  readonly type: 'toolCall';
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  result?: Result;
}

/** What was said or done. */
export type Body =
  | { readonly kind: 'user'; readonly content: readonly Said[] }
  /** What the program put into the conversation: the model reads it, people do not. */
  | { readonly kind: 'note'; readonly text: string }
  | {
      readonly kind: 'answer';
      readonly content: (TextContent | ThinkingContent | Call)[];
      readonly api: string;
      readonly provider: string;
      readonly model: string;
      usage?: Usage;
      stopReason?: StopReason;
      readonly errorMessage?: string;
    }
  | {
      readonly kind: 'compaction';
      readonly summary: string;
      readonly firstKept?: string;
      readonly tokensBefore: number;
    }
  | { readonly kind: 'branch-summary'; readonly summary: string }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly output: string;
      readonly exitCode?: number;
      readonly isHidden: boolean;
    };

/** A body in its place in the tree. */
export type Piece = Body & { readonly key: string; readonly parent: string | null; readonly atMs: number };

/** An answer, which grows while its lines are read. */
export type Answer = Extract<Piece, { kind: 'answer' }>;

/** A whole conversation. */
export interface Conversation {
  readonly title?: string;
  readonly cwd?: string;
  /** Parents come before their children. */
  readonly pieces: readonly Piece[];
  /** Where it stands. */
  readonly leaf: string | null;
  /** What could not be read, as sentences. */
  readonly findings: readonly string[];
}
