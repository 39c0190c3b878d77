/** What happens in Tenon, in its own words. Dialects translate it into the events of other tools. */
import type { ToolResult, ToolRisk, Touches } from '@tenon/tools/api';

/** Where something happens. */
export interface HookSite {
  /** The id of the session; empty outside of one. */
  readonly session: string;
  readonly cwd: string;
  /** The file of the session. */
  readonly transcript?: string;
  /** `provider/id` */
  readonly model?: string;
}

/** A call of a tool. */
export interface ToolFacts {
  readonly tool: string;
  readonly callId: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly touches: Touches;
  readonly risk?: ToolRisk;
}

/** A subagent. */
export interface SubagentFacts {
  readonly agentId: string;
  readonly agentType: string;
  /** What it is to do. */
  readonly task?: string;
}

/** How a session began: from nothing, from its file, after the one before was cleared, or after a summary. */
export type StartSource = 'startup' | 'resume' | 'clear' | 'compact';

/** What is known about each kind of occasion. */
export interface OccasionFacts {
  'before-tool': ToolFacts;
  'after-tool': ToolFacts & { readonly result: ToolResult; readonly durationMs: number };
  permission: ToolFacts & { readonly reasons: readonly string[] };
  'permission-denied': ToolFacts & { readonly reason: string };
  'tool-batch': { readonly calls: readonly (ToolFacts & { readonly result: ToolResult })[] };
  prompt: { readonly prompt: string };
  /** The model has nothing more to do. */
  stop: { readonly text: string; readonly continues: number; readonly prompt: string };
  /** A run is over, and nothing can change that. */
  'run-end': {
    readonly status: 'completed' | 'aborted' | 'error';
    readonly text: string;
    readonly prompt: string;
    readonly error?: string;
    readonly continues: number;
  };
  'session-start': { readonly source: StartSource };
  'session-end': { readonly reason: 'clear' | 'resume' | 'other'; readonly durationMs: number };
  'before-compact': {
    readonly trigger: 'manual' | 'auto';
    readonly instructions: string;
    readonly tokens: number;
    readonly messages: number;
  };
  'after-compact': { readonly trigger: 'manual' | 'auto'; readonly summary: string };
  notification: {
    readonly kind: string;
    readonly title: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
  'subagent-start': SubagentFacts;
  'subagent-stop': SubagentFacts & {
    readonly text: string;
    readonly continues: number;
    readonly transcript?: string;
  };
  'before-model': ModelFacts;
  'tool-selection': ModelFacts;
  'after-model': ModelFacts & { readonly text: string; readonly tokens: number };
  response: { readonly text: string };
  thought: { readonly text: string };
  /** Something that another plugin does, under the name that Claude Code gives it. */
  other: { readonly event: string; readonly fields: Readonly<Record<string, unknown>>; readonly subject?: string };
}

/** A call of a model. */
export interface ModelFacts {
  readonly messages: readonly { readonly role: 'user' | 'model' | 'system'; readonly content: string }[];
  readonly tools: readonly string[];
}

/** The kinds of occasions. */
export type Moment = keyof OccasionFacts;

/** One occasion. */
export type Occasion<M extends Moment = Moment> = { [K in M]: { readonly moment: K } & OccasionFacts[K] }[M];

/** What a hook may forbid. Elsewhere its refusal is shown to the user and changes nothing. */
export const REFUSABLE: ReadonlySet<Moment> = new Set<Moment>([
  'before-tool',
  'after-tool',
  'permission',
  'tool-batch',
  'prompt',
  'stop',
  'before-compact',
  'subagent-start',
  'subagent-stop',
  'before-model',
  'other',
]);
