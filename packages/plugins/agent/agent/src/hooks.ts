/** Where plugins may watch, change or call off what the agent does. docs/design/agent.md has them in one table. */
import { hook } from '@tenon/kernel';
import type { AssistantMessage, ImageContent, ModelMessage, ModelTool, ThinkingLevel } from '@tenon/models/api';
import type { AgentMessage, CustomMessage, SessionEntry } from '@tenon/sessions/api';
import type { AgentEvent, SwitchReason } from './events.ts';

/** Where a hook is run. A handler gives on what it gets (`{ ...given, text }`), so that those after it see it too. */
export interface HookScope {
  /** The id of the session. */
  readonly session?: string;
  /** The folder that the session works in. */
  readonly cwd?: string;
}

/** What the user typed. */
export interface UserInput extends HookScope {
  readonly text: string;
  readonly images: readonly ImageContent[];
  /** True when it was typed while the agent works: the session cannot be moved or shortened now. */
  readonly midRun?: boolean;
  /** Set to a reason, the prompt goes nowhere: the user is told why and the model does not see it. */
  readonly blocked?: string;
  /** Beside `blocked`, when the text is no prompt but a slash command that cannot be used: what to do next. */
  readonly remedy?: string;
  /** Set when there is nothing left to do: the user is told this text, if there is one, and the model does not see the prompt. */
  readonly handled?: string;
  /** Set when the text is not the user's own, but stands for what the user typed: it becomes a message of this type. */
  readonly custom?: Pick<CustomMessage, 'customType' | 'details'>;
}

/** May change what the user typed before anything sees it, or block it. */
export const input = hook<'reduce', UserInput>('input', 'reduce', { access: 'packs' });

/** What a run starts with. */
export interface RunStart extends HookScope {
  readonly prompt: string;
  readonly systemPrompt: string;
  /** Messages to put after the prompt. */
  readonly inject: readonly AgentMessage[];
}

/** May add to the system prompt and the messages before the first turn of a prompt. */
export const beforeStart = hook<'reduce', RunStart>('agent.before-start', 'reduce', { access: 'packs' });

/** May change what the model is about to see. */
export const context = hook<'reduce', HookScope & { readonly messages: readonly AgentMessage[] }>('context', 'reduce', {
  access: 'packs',
});

/** The parts of a model call that plugins may change. */
export interface RequestParts {
  readonly session?: string;
  readonly systemPrompt: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
}

/** May change the request for one model call: secrets are masked here. */
export const modelRequest = hook<'reduce', RequestParts>('model.request', 'reduce', { strict: true });

/** Watches everything that a session tells. */
export const agentEvent = hook<'notify', { readonly session: string; readonly event: AgentEvent }>(
  'agent.event',
  'notify',
  { access: 'packs' },
);

/** What a model said last, when it has nothing more to do. */
export interface AgentStop extends HookScope {
  /** The text of the last answer. */
  readonly text: string;
  /** How often this run was already made to go on. There is a limit: `agent.stopLimit`. */
  readonly continues: number;
}

/** May make the agent go on where it would stop: `continue` is what it is told. */
export const agentStop = hook<'first', AgentStop, { readonly continue?: string; readonly by?: string }>(
  'agent.stop',
  'first',
  { access: 'packs', deadlineMs: 60_000 },
);

/** Told when a session uses another model. */
export const modelSelect = hook<
  'notify',
  {
    readonly session: string;
    readonly cwd: string;
    /** `provider/id` */
    readonly model: string;
    readonly previous: string;
    readonly thinking: ThinkingLevel;
    /** By the user, by a session that was opened, or because the conversation outgrew the one before. */
    readonly reason: 'set' | 'restore' | 'promotion';
  }
>('model.select', 'notify', { access: 'packs' });

/** Told after every call of a model, those for summaries and by tools included. */
export const modelUsed = hook<
  'notify',
  {
    readonly session: string;
    readonly cwd: string;
    readonly purpose: 'turn' | 'summary' | 'tool';
    readonly message: Pick<AssistantMessage, 'provider' | 'model' | 'usage' | 'stopReason'>;
  }
>('model.used', 'notify', { access: 'packs' });

/** A summary that is about to be made. */
export interface CompactionPlan extends HookScope {
  readonly reason: 'manual' | 'threshold' | 'overflow' | 'idle';
  readonly tokensBefore: number;
  /** What is about to be replaced by the summary. */
  readonly messages: readonly AgentMessage[];
  readonly firstKeptEntryId: string;
  readonly previousSummary?: string;
  readonly instructions?: string;
  /** Lines to be mentioned in the summary. */
  readonly context: readonly string[];
  /** Replaces the standard question to the model. */
  readonly prompt?: string;
  /** Kept with the summary for the plugin's own use. */
  readonly preserveData?: Readonly<Record<string, unknown>>;
}

/** May call a summary off, or bring one of its own. */
export const beforeCompact = hook<
  'first',
  CompactionPlan,
  { readonly cancel?: boolean; readonly by?: string; readonly summary?: string; readonly details?: unknown }
>('session.before-compact', 'first', { access: 'packs' });

/** May change how a summary is asked for. */
export const compacting = hook<'reduce', CompactionPlan>('session.compacting', 'reduce', { access: 'packs' });

/** Told after a summary replaced the older part of a session. */
export const compacted = hook<
  'notify',
  { readonly session: string; readonly entryId: string; readonly fromPlugin: boolean }
>('session.compacted', 'notify', { access: 'packs' });

/** Whether a plugin calls something off; `by` is its name, for the message. */
export interface Cancellation {
  readonly cancel?: boolean;
  readonly by?: string;
}

/** Where a session hook is run. */
export interface SessionPlace {
  readonly session: string;
  readonly cwd: string;
}

/** Told when an agent begins to work on a session, before its first prompt. */
export const sessionStart = hook<
  'notify',
  SessionPlace & {
    readonly file?: string;
    /** For a subagent: the session that it works for. */
    readonly parent?: string;
  }
>('session.start', 'notify', { access: 'packs' });

/** May call off a change to another session. */
export const beforeSwitch = hook<
  'first',
  SessionPlace & { readonly reason: Exclude<SwitchReason, 'branch'>; readonly target?: string },
  Cancellation
>('session.before-switch', 'first', { access: 'packs' });

/** Told when the agent works on another session: `session` is the new one. */
export const sessionSwitch = hook<
  'notify',
  SessionPlace & { readonly reason: SwitchReason; readonly previous: string }
>('session.switch', 'notify', { access: 'packs' });

/** May call off going back to a message of the user in a copy of the session. */
export const beforeBranch = hook<
  'first',
  SessionPlace & { readonly entryId: string },
  Cancellation & {
    /** The conversation stays as it is: the plugin brings back something else, files for example. */
    readonly skipConversationRestore?: boolean;
  }
>('session.before-branch', 'first', { access: 'packs' });

/** Told after going back in a copy: `session` is the copy. */
export const sessionBranch = hook<'notify', SessionPlace & { readonly entryId: string; readonly previous: string }>(
  'session.branch',
  'notify',
  { access: 'packs' },
);

/** A move to another entry of the same session. */
export interface TreePlan extends SessionPlace {
  /** The leaf before. */
  readonly from: string | null;
  /** The entry that was asked for; `null` for the beginning. */
  readonly to: string | null;
  /** The last entry on both ways; `null` when there is none. */
  readonly commonAncestor: string | null;
  /** What is left behind, oldest first: from after the common ancestor to the leaf. */
  readonly entries: readonly SessionEntry[];
  /** Whether a summary of them was asked for. */
  readonly summarize: boolean;
}

/** May call off moving to another entry of the same session, or bring the summary of what is left behind. */
export const beforeTree = hook<
  'first',
  TreePlan,
  Cancellation & { readonly summary?: { readonly summary: string; readonly details?: unknown } }
>('session.before-tree', 'first', { access: 'packs' });

/** A move within a session that was made. */
export interface TreeMoved extends Pick<TreePlan, 'session' | 'cwd' | 'from' | 'to'> {
  /** The leaf now: the summary if there is one; the entry before `to` when that is a message to be said anew; else `to`. */
  readonly leaf: string | null;
  readonly summaryEntryId?: string;
  /** Whether the summary is a plugin's own. */
  readonly fromPlugin?: boolean;
}

/** Told after moving to another entry of the same session. */
export const sessionTree = hook<'notify', TreeMoved>('session.tree', 'notify', { access: 'packs' });

/** Told before an agent ends; the session can still be written. */
export const sessionShutdown = hook<'notify', SessionPlace>('session.shutdown', 'notify', { access: 'packs' });

/** Every hook of this plugin. */
export const agentHooks = [
  input,
  beforeStart,
  context,
  modelRequest,
  agentEvent,
  agentStop,
  modelSelect,
  modelUsed,
  beforeCompact,
  compacting,
  compacted,
  sessionStart,
  beforeSwitch,
  sessionSwitch,
  beforeBranch,
  sessionBranch,
  beforeTree,
  sessionTree,
  sessionShutdown,
] as const;
