/** A plan as a list. It is known by its shape: who wrote it does not matter. */
import { html, type Markup } from './markup.ts';

interface Task {
  readonly content: string;
  readonly status: string;
  readonly notes: readonly string[];
}

interface Phase {
  readonly name: string;
  readonly tasks: readonly Task[];
}

const MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', abandoned: '✗' };
const WORDS: Readonly<Record<string, string>> = {
  completed: 'done',
  in_progress: 'in progress',
  abandoned: 'dropped',
};

/** The plan in the details of a result; nothing when there is none. */
export function phasesIn(details: unknown): readonly Phase[] | undefined {
  const phases = (details as { phases?: unknown } | undefined)?.phases;
  if (!Array.isArray(phases) || phases.length === 0) return undefined;
  const read = phases.map(phaseOf);
  return read.every((phase) => phase !== undefined) ? read : undefined;
}

/** The plan as a list of tasks under the names of their phases. */
export function planMarkup(phases: readonly Phase[]): Markup {
  return html`${phases.map(
    ({ name, tasks }) =>
      html`<h3>${name}</h3>
        <ul class="plan">
          ${tasks.map(taskMarkup)}
        </ul>`,
  )}`;
}

function taskMarkup({ content, status, notes }: Task): Markup {
  return html`<li class="${status.replace('_', '-')}">
    <span class="mark" title="${WORDS[status] ?? 'to do'}">${MARKS[status] ?? '○'}</span> ${content}
    ${notes.map((note) => html`<div class="hint">${note}</div>`)}
  </li> `;
}

function phaseOf(value: unknown): Phase | undefined {
  const { name, tasks } = (value ?? {}) as { name?: unknown; tasks?: unknown };
  if (typeof name !== 'string' || !Array.isArray(tasks)) return undefined;
  const read = tasks.map(taskOf);
  return read.every((task) => task !== undefined) ? { name, tasks: read } : undefined;
}

function taskOf(value: unknown): Task | undefined {
  const { content, status, notes } = (value ?? {}) as { content?: unknown; status?: unknown; notes?: unknown };
  if (typeof content !== 'string' || typeof status !== 'string') return undefined;
  const texts = Array.isArray(notes) ? notes.filter((note): note is string => typeof note === 'string') : [];
  return { content, status, notes: texts };
}
