/** The plan above the editor: one row while the agent works on it, all of it when the user wants to see it. */
import type { Theme } from '@tenon/components';
import type { TodoPhase } from '@tenon/planning-tools/api';
import type { Component } from '@tenon/screen';
import { plainLine } from '@tenon/wording';
import { fitted, type PanelLook } from './panel-look.ts';
import { planRows } from './plan-rows.ts';

/** What the panel shows. */
export interface PlanFacts {
  phases(): readonly TodoPhase[];
  /** The key that shows all of it, as it is shown. */
  key?(): string | undefined;
}

const MOST_ROWS = 12;

/** Shows the plan of the session; nothing when there is none, or all of it is done. */
export class PlanPanel implements Component {
  readonly #look: PanelLook;
  readonly #facts: PlanFacts;
  /** True shows all tasks. */
  isOpen = false;

  constructor(look: PanelLook, facts: PlanFacts) {
    this.#look = look;
    this.#facts = facts;
  }

  render(width: number): string[] {
    const phases = this.#facts.phases();
    const tasks = phases.flatMap((phase) => phase.tasks);
    const isOpen = ({ status }: (typeof tasks)[number]) => status === 'pending' || status === 'in_progress';
    if (!tasks.some(isOpen)) return [];
    const { theme } = this.#look;
    const current = tasks.find(({ status }) => status === 'in_progress') ?? tasks.find(isOpen);
    const left = tasks.filter(isOpen).length;
    const key = this.#facts.key?.();
    const how = key === undefined ? '' : theme.fg('dim', ` (${key} ${this.isOpen ? 'folds it' : 'shows it'})`);
    const count = theme.fg('muted', `${tasks.length - left}/${tasks.length}`);
    const head = `${theme.fg('accent', '☰')} ${theme.bold('Plan')} ${count} ${plainLine(current?.content ?? '')}${how}`;
    if (!this.isOpen) return fitted(this.#look, [head], width);
    return fitted(this.#look, [head, ...openRows(phases, theme).map((row) => `  ${row}`)], width);
  }
}

/** The rows around the current task, when there are many. */
function openRows(phases: readonly TodoPhase[], theme: Theme): string[] {
  const rows = planRows(phases, theme);
  if (rows.length <= MOST_ROWS) return rows;
  const states = phases.flatMap((phase) => [
    ...(phases.length < 2 ? [] : ['']),
    ...phase.tasks.map(({ status }) => status),
  ]);
  const running = states.indexOf('in_progress');
  const current = running >= 0 ? running : states.indexOf('pending');
  const room = MOST_ROWS - 1;
  const start = Math.max(0, Math.min(current - 2, rows.length - room));
  const hidden = rows.length - room;
  return [...rows.slice(start, start + room), theme.fg('dim', `… ${hidden} more`)];
}
