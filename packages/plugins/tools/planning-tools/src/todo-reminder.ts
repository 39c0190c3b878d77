/** Keeps an agent from stopping while its plan has open tasks, without asking for ever. */
import type { AgentStop } from '@tenon/agent/api';
import type { PlanningHost } from './host.ts';
import { prompts } from './prompts/index.ts';
import { isOpen, planText, tasksOf } from './todo-plan.ts';

/** Answers the question whether an agent should go on. */
export class TodoReminder {
  readonly #host: Pick<PlanningHost, 'config' | 'store' | 'agents'>;
  /** The plan as it was at the last reminder: one that did not help is not repeated. */
  readonly #lastPlan = new Map<string, string>();

  constructor(host: Pick<PlanningHost, 'config' | 'store' | 'agents'>) {
    this.#host = host;
  }

  /** What the agent is told when it should go on. */
  remind({ session, continues, text }: AgentStop): string | undefined {
    const { config, store, agents } = this.#host;
    if (session === undefined || !config.todo.reminders) return undefined;
    if (continues === 0) this.#lastPlan.delete(session);
    const phases = store.phases(session);
    const open = tasksOf(phases).filter(isOpen);
    const plan = planText(phases);
    const isUseless =
      open.length === 0 || continues >= config.todo.reminderLimit || this.#lastPlan.get(session) === plan;
    // An agent that asks the user something has a reason to stop.
    if (isUseless || text.trimEnd().endsWith('?')) {
      this.#lastPlan.delete(session);
      return undefined;
    }
    this.#lastPlan.set(session, plan);
    agents.get(session)?.emit({
      type: 'todo_reminder',
      todos: open,
      attempt: continues + 1,
      maxAttempts: config.todo.reminderLimit,
    });
    return prompts.todoReminder({ count: open.length, plan });
  }
}
