/** Background jobs that run, on one row. */
import type { Component } from '@tenon/screen';
import { counted, plainLine } from '@tenon/wording';
import { elapsedText } from '../cards/rows.ts';
import { fitted, type PanelLook } from './panel-look.ts';

/** A job as far as it is shown; a `JobSnapshot` of @tenon/jobs is one. */
export interface ShownJob {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly durationMs: number;
}

/** What the panel shows. */
export interface JobFacts {
  jobs(): readonly ShownJob[];
  /** The key that lists them, as it is shown. */
  key?(): string | undefined;
}

/** Shows the jobs that run; nothing when none does. It asks for no frames: times are those of the last one. */
export class JobsPanel implements Component {
  readonly #look: PanelLook;
  readonly #facts: JobFacts;

  constructor(look: PanelLook, facts: JobFacts) {
    this.#look = look;
    this.#facts = facts;
  }

  render(width: number): string[] {
    const running = this.#facts.jobs().filter(({ status }) => status === 'running');
    if (running.length === 0) return [];
    const { theme } = this.#look;
    const key = this.#facts.key?.();
    const how = key === undefined ? '' : theme.fg('dim', ` (${key} lists them)`);
    const names = running.map(
      ({ label, durationMs }) => `${plainLine(label)} ${theme.fg('dim', elapsedText(durationMs))}`,
    );
    const head = `${theme.fg('accent', '⚙')} ${counted(running.length, 'job')}:`;
    return fitted(this.#look, [`${head} ${names.join(theme.fg('dim', ', '))}${how}`], width);
  }
}
