/** What actions have in common. */
import type { Input } from '../input.ts';
import type { RequestLimits } from '../protocol/dap-client.ts';
import type { DebugSession } from '../session/debug-session.ts';

/** What an action is given. */
export interface ActionCall {
  /** The session that was started. */
  readonly session: DebugSession;
  /** The one of its family that is meant: the one that has stopped. */
  readonly current: DebugSession;
  readonly input: Input;
  readonly limits: RequestLimits;
  /** Relative paths start here. */
  readonly cwd: string;
}

/** What an action gives back. */
export interface ActionResult {
  readonly lines: readonly string[];
  /** Facts for programs. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Does one thing with a session. */
export type ActionHandler = (call: ActionCall) => Promise<ActionResult>;
