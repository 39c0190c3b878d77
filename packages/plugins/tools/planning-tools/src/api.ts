/** What other plugins may use: the plan of a session, to show it and to set it. */
import { hook, service } from '@tenon/kernel';

/** Where a task stands. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'abandoned';

/** One thing to do. */
export interface TodoTask {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
  /** What the model wrote down about it. */
  readonly notes?: readonly string[];
}

/** Tasks that belong together, in order. */
export interface TodoPhase {
  readonly id: string;
  readonly name: string;
  readonly tasks: readonly TodoTask[];
}

/** The plans of sessions. They are kept with the session: going back in it brings the plan back too. */
export interface Todos {
  phases(session: string): readonly TodoPhase[];
  /**
   * Replaces the plan; texts are trimmed, empty tasks and phases left out. The model is told with the next prompt unless
   * `silent`. Gives the plan as it is kept.
   */
  set(
    session: string,
    phases: readonly TodoPhase[],
    options?: { readonly silent?: boolean },
  ): Promise<readonly TodoPhase[]>;
}

/** The plans of sessions. */
export const todos = service<Todos>('todos', { access: 'packs' });

/** Planning before work: the agent looks, changes nothing, and writes a plan for the user to approve. */
export interface PlanMode {
  /** Whether the session may only look: because it plans, or because the session that started it as a subagent does. */
  isOn(session: string): boolean;
  /** Begins or ends planning. It is kept with the session, so that it still counts when the session is resumed. */
  set(session: string, isOn: boolean): Promise<void>;
  /** The plan that the session has written to `plan://`; nothing when there is none. */
  plan(session: string): Promise<string | undefined>;
  /**
   * The user approves the plan: planning ends, and its steps become the session's tasks. Gives the prompt to go on with. With `fresh`
   * the agent has moved to a new session by then, which knows nothing but the plan.
   */
  approve(session: string, approval?: PlanApproval): Promise<string>;
}

/** How a plan is approved. */
export interface PlanApproval {
  /** What the user adds to the plan. */
  readonly notes?: string;
  readonly fresh?: boolean;
}

/** Which sessions plan. */
export const planMode = service<PlanMode>('plan-mode');

/** Told when a plan changed, by the model or by somebody else. */
export const todosChanged = hook<'notify', { readonly session: string; readonly phases: readonly TodoPhase[] }>(
  'todos.changed',
  'notify',
  { access: 'packs' },
);

/** The `details` of `todo_write`. */
export interface TodoDetails {
  readonly phases: readonly TodoPhase[];
  /** Where the plan is kept; calls outside of a conversation have no session. */
  readonly storage: 'session' | 'memory';
  /** Tasks that this call completed. */
  readonly completedTasks?: readonly string[];
}

/** One answered question, in the `details` of `ask`. */
export interface AskAnswer {
  readonly id: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly multi: boolean;
  readonly selectedOptions: readonly string[];
  readonly customInput?: string;
  /** True when nobody answered in time and the recommended option was taken. */
  readonly timedOut?: boolean;
}

export { errors } from './errors.ts';
export { isOpen, planText } from './todo-plan.ts';
