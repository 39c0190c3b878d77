/** What other plugins may use: a way to tell hooks about what only they know, and to hear what the hooks say. */
import { service } from '@tenon/kernel';
import type { Occasion } from './occasion.ts';
import type { Outcome } from './outcome.ts';

export { errors } from './errors.ts';
export type { Moment, Occasion, OccasionFacts, SubagentFacts } from './occasion.ts';
export type { Decision, Outcome } from './outcome.ts';

/** Tells hooks about occasions that this plugin does not see by itself: subagents, worktrees, elicitations… */
export interface HookEvents {
  /** Runs the hooks of the session that the occasion concerns. Nothing happens, and nothing is loaded, where there are none. */
  tell(
    occasion: Occasion<'subagent-start' | 'subagent-stop' | 'notification' | 'other'>,
    site: { readonly session: string; readonly cwd: string },
    signal?: AbortSignal,
  ): Promise<Outcome>;
}

/** Hooks that are commands. */
export const hookEvents = service<HookEvents>('hook-events');
