/** What other plugins may use: changes that wait for a decision. */
import { service } from '@tenon/kernel';
import type { ToolResult } from '@tenon/tools/api';

/** A previewed change. `resolve` carries it out or drops it. */
export interface PendingAction {
  /** What it does, in a few words. */
  readonly label: string;
  readonly sourceToolName: string;
  /** The files that it changes, absolute; any when absent. */
  readonly writes?: readonly string[];
  apply(reason: string): Promise<ToolResult>;
  /** Cleans up; a result replaces the standard text. */
  reject?(reason: string): Promise<ToolResult | undefined>;
}

/** Previews that wait, by session. */
export interface PendingActions {
  /**
   * The newest is resolved first; of very many, the oldest are dropped. Where an agent works on the session, its next turn
   * has to call `resolve`.
   */
  push(session: string, action: PendingAction): Promise<void>;
  /** The newest, which stays. */
  newest(session: string): PendingAction | undefined;
  /** Takes the newest. */
  take(session: string): PendingAction | undefined;
  count(session: string): number;
}

/** Previews that wait. */
export const pendingActions = service<PendingActions>('pending-actions');
