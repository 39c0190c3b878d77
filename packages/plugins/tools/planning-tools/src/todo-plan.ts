/** A plan and what can be done to it. Nothing here knows about sessions. */
import { didYouMean } from '@tenon/wording';
import type { TodoPhase, TodoStatus, TodoTask } from './api.ts';
import { errors } from './errors.ts';

/** One step of a `todo_write` call. */
export interface TodoOperation {
  readonly op: 'init' | 'append' | 'start' | 'done' | 'drop' | 'rm' | 'note';
  readonly phases?: readonly { readonly name: string; readonly tasks: readonly string[] }[];
  readonly phase?: string;
  readonly items?: readonly string[];
  readonly task?: string;
  readonly text?: string;
}

type Plan = readonly TodoPhase[];

/** True for a task that still has to be done. */
export function isOpen({ status }: TodoTask): boolean {
  return status === 'pending' || status === 'in_progress';
}

/** All tasks, in order. */
export function tasksOf(plan: Plan): TodoTask[] {
  return plan.flatMap(({ tasks }) => tasks);
}

/** The plan with trimmed texts, without what is empty, and with exactly one task in progress while there are open ones. */
export function tidy(plan: Plan): TodoPhase[] {
  let isTaken = false;
  const phases = plan
    .map(({ id, name, tasks }) => ({
      id,
      name: name.trim(),
      tasks: tasks.map((task) => ({ ...task, content: task.content.trim() })).filter(({ content }) => content !== ''),
    }))
    .filter(({ tasks }) => tasks.length > 0);
  const single = phases.map((phase) => ({
    ...phase,
    tasks: phase.tasks.map((task) => {
      if (task.status !== 'in_progress') return task;
      const status: TodoStatus = isTaken ? 'pending' : 'in_progress';
      isTaken = true;
      return { ...task, status };
    }),
  }));
  if (isTaken) return single;
  const next = tasksOf(single).find(({ status }) => status === 'pending');
  return next ? withStatus(single, new Set([next.id]), 'in_progress') : single;
}

/** Carries out operations, all or none: the first that does not fit throws. */
export function applyOperations(plan: Plan, operations: readonly TodoOperation[]): TodoPhase[] {
  let phases = [...plan];
  for (const operation of operations) phases = apply(phases, operation);
  return tidy(phases);
}

function apply(plan: TodoPhase[], operation: TodoOperation): TodoPhase[] {
  switch (operation.op) {
    case 'init':
      return begin(operation);
    case 'append':
      return append(plan, operation);
    case 'start': {
      const { id } = theTask(plan, operation);
      const running = new Set(tasksOf(plan).flatMap((task) => (task.status === 'in_progress' ? [task.id] : [])));
      return withStatus(withStatus(plan, running, 'pending'), new Set([id]), 'in_progress');
    }
    case 'done':
      return withStatus(plan, meant(plan, operation, isOpen), 'completed');
    case 'drop':
      return withStatus(plan, meant(plan, operation, isOpen), 'abandoned');
    case 'rm': {
      const gone = meant(plan, operation, () => true);
      return plan.map((phase) => ({ ...phase, tasks: phase.tasks.filter(({ id }) => !gone.has(id)) }));
    }
    case 'note': {
      const { id } = theTask(plan, operation);
      const text = operation.text?.trim();
      if (!text) throw errors.create('PLANNING_TOOLS_OPERATION', { op: 'note', what: '"text"' });
      return change(plan, (task) => (task.id === id ? { ...task, notes: [...(task.notes ?? []), text] } : task));
    }
  }
}

function begin({ phases, items }: TodoOperation): TodoPhase[] {
  const initialPhases = phases ?? (items ? [{ name: 'Todos', tasks: items }] : undefined);
  if (!initialPhases) throw errors.create('PLANNING_TOOLS_OPERATION', { op: 'init', what: '"phases" or "items"' });
  const ids = idMaker([]);
  return initialPhases.map(({ name, tasks }) => ({
    id: ids.phase(),
    name,
    tasks: newTasks(tasks, ids),
  }));
}

function append(plan: TodoPhase[], { phase: name, items }: TodoOperation): TodoPhase[] {
  if (!items || items.length === 0) throw errors.create('PLANNING_TOOLS_OPERATION', { op: 'append', what: '"items"' });
  const ids = idMaker(plan);
  const tasks = newTasks(items, ids);
  const wanted = name ?? plan.at(-1)?.name ?? 'Todos';
  const existing = findPhase(plan, wanted);
  if (!existing) return [...plan, { id: ids.phase(), name: wanted, tasks }];
  return plan.map((phase) => (phase === existing ? { ...phase, tasks: [...phase.tasks, ...tasks] } : phase));
}

/** The tasks that an operation is about: one, those of a phase, or all. */
function meant(plan: Plan, operation: TodoOperation, isMeant: (task: TodoTask) => boolean): Set<string> {
  if (operation.task !== undefined) return new Set([theTask(plan, operation).id]);
  const { phase: name } = operation;
  if (name === undefined)
    return new Set(
      tasksOf(plan)
        .filter(isMeant)
        .map(({ id }) => id),
    );
  const phase = findPhase(plan, name);
  if (phase) return new Set(phase.tasks.filter(isMeant).map(({ id }) => id));
  const names = plan.map((planPhase) => planPhase.name);
  const known = { hint: didYouMean(name, names), phases: names.length > 0 ? names : 'none yet' };
  throw errors.create('PLANNING_TOOLS_PHASE_UNKNOWN', { phase: name, ...known });
}

/** A task by its id, its text, or a part of its text that only it has. */
function theTask(plan: Plan, { op, task: wanted }: TodoOperation): TodoTask {
  if (wanted === undefined) throw errors.create('PLANNING_TOOLS_OPERATION', { op, what: '"task"' });
  const all = tasksOf(plan);
  const exact = all.find(({ id, content }) => id === wanted || content === wanted.trim());
  if (exact) return exact;
  const words = wanted.trim().toLowerCase();
  const close = words === '' ? [] : all.filter(({ content }) => content.toLowerCase().includes(words));
  const [only, ...others] = close;
  if (only && others.length === 0) return only;
  const texts = all.map(({ content }) => content);
  if (only) {
    const fitting = close.map(({ content }) => `"${content}"`);
    throw errors.create('PLANNING_TOOLS_TASK_AMBIGUOUS', { task: wanted, tasks: fitting });
  }
  const known = {
    hint: didYouMean(wanted, texts),
    tasks: texts.length > 0 ? texts.map((text) => `"${text}"`) : 'none yet',
  };
  throw errors.create('PLANNING_TOOLS_TASK_UNKNOWN', { task: wanted, ...known });
}

function findPhase(plan: Plan, wanted: string): TodoPhase | undefined {
  const name = wanted.trim().toLowerCase();
  return plan.find((phase) => phase.id === wanted) ?? plan.find((phase) => phase.name.toLowerCase() === name);
}

function withStatus(plan: Plan, ids: ReadonlySet<string>, status: TodoStatus): TodoPhase[] {
  return change(plan, (task) => (ids.has(task.id) ? { ...task, status } : task));
}

function change(plan: Plan, edit: (task: TodoTask) => TodoTask): TodoPhase[] {
  return plan.map((phase) => ({ ...phase, tasks: phase.tasks.map(edit) }));
}

function newTasks(items: readonly string[], ids: { task(): string }): TodoTask[] {
  const texts = items.map((item) => item.trim()).filter(Boolean);
  return texts.map((content) => ({ id: ids.task(), content, status: 'pending' }));
}

/** Ids that nothing in the plan has. */
function idMaker(plan: Plan) {
  const highest = (ids: readonly string[]) => Math.max(0, ...ids.map((id) => Number(/\d+$/.exec(id)?.[0] ?? 0)));
  let phase = highest(plan.map(({ id }) => id));
  let task = highest(tasksOf(plan).map(({ id }) => id));
  return { phase: () => `phase-${++phase}`, task: () => `task-${++task}` };
}

const MARKS: Readonly<Record<TodoStatus, string>> = { pending: ' ', in_progress: '>', completed: 'x', abandoned: '-' };

/** The plan as models and people read it. */
export function planText(plan: Plan): string {
  return plan
    .map(({ name, tasks }) => {
      const done = tasks.filter((task) => !isOpen(task)).length;
      const rows = tasks.flatMap(({ status, content, notes = [] }) => [
        `[${MARKS[status]}] ${content}`,
        ...notes.map((note) => `      ${note}`),
      ]);
      return [`${name} (${done}/${tasks.length})`, ...rows].join('\n');
    })
    .join('\n\n');
}
