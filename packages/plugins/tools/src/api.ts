/** What other plugins may use of the tools: the slot, the hooks around a call, and the service that makes one. */
import { hook, type JsonSchema, service, slot } from '@tenon/kernel';

/** How much harm a tool can do. */
export type ToolRisk = 'read' | 'write' | 'exec' | 'net';

/** One piece of a tool's answer. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

/** What a tool gives back. An expected failure is a result with `isError`, whose text says what to do next. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** Facts for programs and user interfaces; the model does not see them. */
  readonly details?: unknown;
  readonly isError?: boolean;
}

/** A file for output that is too long for a conversation. */
export interface ToolArtifact {
  /** The part of `artifact://ID` after the slashes. */
  readonly id: string;
  readonly path: string;
}

/** Where a call belongs. Tools keep shells, previews and what was read apart by session. */
export interface ToolScope {
  readonly session: string;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Makes an empty file for full output. */
  artifact?(name: string): Promise<ToolArtifact>;
  /** The file behind `artifact://ID`. */
  artifactPath?(id: string): Promise<string | undefined>;
}

/** One call of a tool. */
export interface ToolCall {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Absent for calls outside of a session. */
  readonly scope?: ToolScope;
  /** Shows what there is so far; each update replaces the one before. */
  update(partial: ToolResult): Promise<void>;
}

/** Something that the agent can do. */
export interface Tool {
  /** What the model reads: when to use it and how. */
  readonly description: string;
  /** JSON Schema of the input, an object. */
  readonly parameters: JsonSchema;
  execute(input: Readonly<Record<string, unknown>>, call: ToolCall): Promise<ToolResult>;
}

/** What the manifest says about a tool. */
export interface ToolData {
  /** One line for lists. */
  readonly summary: string;
  readonly risk?: ToolRisk;
  /** True when no other tool may run at the same time; by default for tools that write or execute. */
  readonly exclusive?: boolean;
  /** True for tools that are found by search and not offered from the start. */
  readonly discoverable?: boolean;
}

/** Tools by name. The data of an entry is a `ToolData`. */
export const tools = slot<Tool>('tools', { access: 'packs' });

/** A tool is about to run. */
export interface ToolCallEvent {
  readonly tool: string;
  readonly callId: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A tool has run. */
export interface ToolResultEvent extends ToolCallEvent {
  readonly result: ToolResult;
}

/** A person may be asked here, so a handler gets far longer than elsewhere. */
const GATE_DEADLINE_MS = 60_000;

/** Asked before a tool runs; any refusal or fault denies the call. */
export const toolCall = hook<'gate', ToolCallEvent>('tool.call', 'gate', {
  access: 'packs',
  deadlineMs: GATE_DEADLINE_MS,
});

/** May change a tool's result before anybody sees it. */
export const toolResult = hook<'reduce', ToolResultEvent>('tool.result', 'reduce', { access: 'packs' });

/** Runs tools: looks the tool up, checks the input, asks the gate, executes, lets handlers change the result. */
export interface ToolRunner {
  /** Rejects only on cancellation or a defect; everything expected, a refusal too, is a result with `isError`. */
  run(
    name: string,
    input: unknown,
    options?: {
      readonly signal?: AbortSignal;
      /** The model's id for the call; made up when there is none. */
      readonly callId?: string;
      /** Runs this tool instead of the one in the slot: a tool of the embedding program. */
      readonly tool?: Tool;
      readonly scope?: ToolScope;
      onUpdate?(partial: ToolResult): void | Promise<void>;
    },
  ): Promise<ToolResult>;
}

/** Runs tools. */
export const toolRunner = service<ToolRunner>('tool-runner');
