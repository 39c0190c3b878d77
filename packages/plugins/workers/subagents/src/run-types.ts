/** What starting one subagent needs and what comes of it: the same in this process and in one of its own. */
import type { JsonSchema } from '@tenon/kernel';
import type { Model, ThinkingLevel, Usage } from '@tenon/models/api';

/** One subagent that is about to work. */
export interface SubagentRun {
  /** The part of `agent://ID` after the slashes; unique within the parent's session. */
  readonly id: string;
  /** The name of its definition. */
  readonly agent: string;
  /** The session that it works for. */
  readonly parent: string;
  readonly cwd: string;
  readonly systemPrompt: string;
  /** What it is asked to do. */
  readonly prompt: string;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  /** The names of its tools, without `yield`. */
  readonly tools: readonly string[];
  /** What it has to give back; text when absent. */
  readonly schema?: JsonSchema;
  /** Where its session is kept; nowhere when absent. */
  readonly sessionFile?: string;
  readonly signal: AbortSignal;
  /** Told whenever something of it changes. */
  progress(progress: SubagentProgress): void;
}

/** How far a subagent is. */
export interface SubagentProgress {
  /** The tool that runs at the moment. */
  readonly tool?: string;
  /** In one line what that tool does. */
  readonly doing?: string;
  /** How many tool calls it has made. */
  readonly toolCount: number;
  readonly usage: Usage;
}

/** What a subagent handed over with `yield`: data, or the reason why it gave up. */
export type Yielded = { readonly data: unknown } | { readonly aborted: string };

/** What came of a subagent, before it is checked. */
export interface SubagentResult {
  /** What it handed over; absent when it never called `yield`. */
  readonly yielded?: Yielded;
  /** What it said last. */
  readonly answer: string;
  /** Why it could not work: the model failed, the process died. */
  readonly error?: string;
  /** True when the signal stopped it. */
  readonly isStopped?: boolean;
  readonly usage: Usage;
  readonly toolCount: number;
  /** For the reader: what was done differently from what was asked for. */
  readonly warnings?: readonly string[];
}

/** Runs one subagent to its end. What goes wrong is part of the result. */
export type RunSubagent = (run: SubagentRun) => Promise<SubagentResult>;
