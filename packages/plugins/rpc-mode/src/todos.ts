import Handlebars from 'handlebars';
import type { CustomMessage } from '@tenon/sessions/api';
import type { TodoPhase } from './shapes.ts';
import source from './prompts/todos.md';

let template: HandlebarsTemplateDelegate | undefined;

/** The plan that the host sets. The model is told with the next prompt, once. */
export class Todos {
  #phases: readonly TodoPhase[] = [];
  #isNews = false;

  get phases(): TodoPhase[] {
    return structuredClone([...this.#phases]);
  }

  /** Replaces the plan; texts are trimmed and empty tasks left out. */
  set(phases: readonly TodoPhase[]): TodoPhase[] {
    this.#phases = phases.map(({ id, name, tasks }) => ({
      id,
      name: name.trim(),
      tasks: tasks.map((task) => ({ ...task, content: task.content.trim() })).filter(({ content }) => content !== ''),
    }));
    this.#isNews = this.#phases.length > 0;
    return this.phases;
  }

  /** Forgets the plan: a new session has none. */
  clear(): void {
    this.#phases = [];
    this.#isNews = false;
  }

  /** The message about a plan that the model has not seen. */
  takeNews(): CustomMessage | undefined {
    if (!this.#isNews) return undefined;
    this.#isNews = false;
    template ??= Handlebars.compile(source, { noEscape: true });
    const phases = this.#phases.map(({ name, tasks }) => ({
      name,
      tasks: tasks.map(({ content, status }) => ({
        content,
        done: status === 'completed',
        active: status === 'in_progress',
        abandoned: status === 'abandoned',
      })),
    }));
    const content = template({ phases }).trim();
    return { role: 'custom', customType: 'todos', content, display: false, attribution: 'user', timestamp: Date.now() };
  }
}
