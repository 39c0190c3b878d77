/** A run in words. */
import { plainLine, timeAgo } from '@tenon/wording';
import type { Run, RunQuestion, RunState } from '../run.ts';

const COLOURS: Readonly<Partial<Record<RunState, number>>> = {
  running: 36,
  starting: 36,
  validating: 36,
  waiting: 33,
  hijacked: 33,
  done: 32,
  failed: 31,
};

/** The state, in colour where colours are shown. */
export function stateText(state: RunState, isColoured: boolean): string {
  const colour = COLOURS[state];
  return isColoured && colour !== undefined ? `\u001B[${colour}m${state}\u001B[39m` : state;
}

/** One line of a list. */
export function runLine(
  run: Run,
  options: { readonly width: number; readonly color: boolean; readonly now: number },
): string {
  const { alias, worker, state, request, created, cost } = run;
  const words = `${alias.padEnd(20)} ${worker.padEnd(10)} `;
  const rest = ` ${timeAgo(created, options.now).padEnd(14)}${cost === undefined ? '' : ` $${cost.toFixed(2)}`} `;
  const room = Math.max(10, options.width - words.length - 10 - rest.length);
  const task = plainLine(request.task);
  const short = task.length > room ? `${task.slice(0, room - 1)}…` : task;
  return `${words}${stateText(state, options.color)}${' '.repeat(Math.max(1, 10 - state.length))}${rest}${short}`;
}

/** A question of a worker on one line. */
export function questionLine({ id, text, options = [] }: Pick<RunQuestion, 'id' | 'text' | 'options'>): string {
  const choices = options.length === 0 ? '' : ` (${options.map(plainLine).join(' / ')})`;
  return `? ${plainLine(id)}: ${plainLine(text)}${choices}`;
}

/** What to do next with a run. */
export function nextSteps(run: Run, questions: readonly RunQuestion[] = []): readonly string[] {
  const { alias, state, worktree, host } = run;
  const open = questions.filter(({ answer }) => answer === undefined);
  if (state === 'waiting' && open.length > 0)
    return [`tenon runs answer ${alias} ${open.map(({ id }) => `${id}=…`).join(' ')}`];
  if (state === 'waiting') return [`tenon runs send ${alias} "…"`];
  if (state === 'hijacked') return [`tenon hijack ${alias}`, `tenon runs cancel ${alias}`];
  if (state === 'failed' || state === 'cancelled') return [`tenon runs retry ${alias}`, `tenon runs logs ${alias}`];
  if (state === 'done' && worktree !== undefined && host !== undefined) return [`tenon runs apply ${alias}`];
  if (state === 'done' && worktree !== undefined) {
    // Not into repositories that the worker has made: git would run what their settings name.
    const diff = `git -C ${worktree.folder} diff --ignore-submodules=dirty ${worktree.base.slice(0, 12)}`;
    return [`tenon runs apply ${alias}`, diff];
  }
  if (state === 'done') return [];
  return [`tenon runs logs -f ${alias}`, `tenon runs cancel ${alias}`];
}
