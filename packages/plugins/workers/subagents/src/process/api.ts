/** Subagents in a process of their own, for definitions that nobody vouches for. */
import type { Folders } from '@tenon/host';
import type { Sandboxes } from '@tenon/sandbox/api';
import type { SubagentResult, SubagentRun } from '../run-types.ts';

/** A question of a subagent for the person who watches its parent. */
export interface SubagentQuestion {
  readonly title: string;
  readonly message?: string;
  /** What can be chosen; a yes or no when absent. */
  readonly options?: readonly string[];
}

/** What running a subagent in a process of its own needs. */
export interface ProcessHost {
  /** Without a sandbox nothing is started. */
  sandboxes(): Promise<Sandboxes | undefined>;
  readonly folders: Pick<Folders, 'cache'>;
  /** The keys of a provider, from the store of credentials; only those of the run's own provider are asked for. */
  keys(provider: string): Promise<readonly string[]>;
  /** `read-only` while only a plan is wanted. */
  readonly profile?: 'read-only' | 'workspace-write';
  /** Asks the person; the choice, `yes`, or nothing for no. Without it every question is answered with no. */
  ask?(question: SubagentQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** Hears what went wrong beside the work. */
  warn?(text: string): void;
  /** The words that start Tenon; this very program when absent. */
  readonly program?: readonly [string, ...string[]];
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a subagent to its end in a sandboxed process of its own. What goes wrong is part of the result. */
export async function runInProcess(host: ProcessHost, run: SubagentRun): Promise<SubagentResult> {
  return (await import('./run-in-process.ts')).runInProcess(host, run);
}
