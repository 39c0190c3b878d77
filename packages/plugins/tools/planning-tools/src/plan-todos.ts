/** The steps of a plan in Markdown, as tasks. */
import { cutText, plainLine } from '@tenon/wording';
import type { TodoPhase, TodoTask } from './api.ts';

const MAX_TASKS = 40;
const MAX_TASK_CHARS = 140;
const HEADING = /^#{1,6}\s+(.+?)\s*#*$/;
/** A numbered line, or one with a box; only those that are not indented are steps. */
const STEP = /^(?:\d{1,3}[.)]|[-*+]\s+\[[ xX]\])\s+(\S.*)$/;
const BULLET = /^[-*+]\s+(\S.*)$/;
const FENCE = /^\s{0,3}(?:```|~~~)/;
/** Parts of a plan that list no work. */
const NO_WORK = /risk|question|assumption|alternative|background|context|goal|out of scope|not done|summary|overview/i;

interface Found {
  readonly heading: string;
  readonly text: string;
  readonly isStep: boolean;
}

/** The tasks of a plan, a phase for each of its parts. Numbered lines and boxes count; a plan that has none is taken by its bullets. */
export function planTodos(plan: string): readonly TodoPhase[] {
  const found = linesOf(plan).filter(({ heading }) => !NO_WORK.test(heading));
  const steps = found.filter(({ isStep }) => isStep);
  const chosen = (steps.length > 0 ? steps : found).slice(0, MAX_TASKS);
  const phases = new Map<string, TodoTask[]>();
  for (const [index, { heading, text }] of chosen.entries()) {
    const tasks = phases.get(heading) ?? [];
    tasks.push({ id: `step-${index + 1}`, content: text, status: 'pending' });
    phases.set(heading, tasks);
  }
  return [...phases].map(([name, tasks], index) => ({ id: `part-${index + 1}`, name, tasks }));
}

function linesOf(plan: string): Found[] {
  const found: Found[] = [];
  let heading = 'Plan';
  let isCode = false;
  for (const line of plan.split(/\r?\n/)) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode || FENCE.test(line)) continue;
    const title = HEADING.exec(line)?.[1];
    if (title !== undefined) heading = taskText(title);
    const step = STEP.exec(line)?.[1];
    const text = step ?? BULLET.exec(line)?.[1];
    if (text !== undefined && taskText(text) !== '')
      found.push({ heading, text: taskText(text), isStep: step !== undefined });
  }
  return found;
}

/** Without the marks of Markdown that only dress a text. */
function taskText(text: string): string {
  return cutText(plainLine(text.replace(/\*\*|__/g, '')), MAX_TASK_CHARS);
}
