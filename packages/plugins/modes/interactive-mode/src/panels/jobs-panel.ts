/** Background jobs that run, and the subagents that are at work. */
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
  /** `task`: subagents in the background; their text has a line for each of them. */
  readonly type?: string;
  readonly resultText?: string;
}

/** What the panel shows. */
export interface JobFacts {
  jobs(): readonly ShownJob[];
  /** What people call the subagents of the session that are at work: `explore auth-flow`. */
  subagents?(): readonly string[];
  /** The key that lists the jobs, as it is shown. */
  key?(): string | undefined;
  /** Draws it again after a while; called whenever something is shown that changes by itself. */
  again?(): void;
}

const MOST_LINES = 6;
/** The lines of `task`: the subagent's id and its state come first. */
const LINE = /^([^:]+): (\w+)/;
const AT_WORK = ['running', 'waiting'];

/** Shows what works; nothing when nothing does. The agent waits for the subagents on the last row; those above it are in the background. */
export class JobsPanel implements Component {
  readonly #look: PanelLook;
  readonly #facts: JobFacts;

  constructor(look: PanelLook, facts: JobFacts) {
    this.#look = look;
    this.#facts = facts;
  }

  render(width: number): string[] {
    const running = this.#facts.jobs().filter(({ status }) => status === 'running');
    const lines = running.flatMap(linesOf);
    const known = lines.map((line) => LINE.exec(line)?.[1] ?? '');
    const others = (this.#facts.subagents?.() ?? []).filter((label) => !known.some((id) => label.endsWith(` ${id}`)));
    // Also a job whose subagents have not said anything yet: what they say next tells the screen nothing by itself.
    if (others.length > 0 || running.some(({ type }) => type === 'task')) this.#facts.again?.();
    return fitted(this.#look, [...this.#jobRows(running), ...this.#lineRows(lines), ...this.#otherRows(others)], width);
  }

  #jobRows(running: readonly ShownJob[]): string[] {
    if (running.length === 0) return [];
    const { theme } = this.#look;
    const key = this.#facts.key?.();
    const how = key === undefined ? '' : theme.fg('dim', ` (${key} lists them)`);
    const names = running.map(
      ({ label, durationMs }) => `${plainLine(label)} ${theme.fg('dim', elapsedText(durationMs))}`,
    );
    const head = `${theme.fg('accent', '⚙')} ${counted(running.length, 'job')}:`;
    return [`${head} ${names.join(theme.fg('dim', ', '))}${how}`];
  }

  #lineRows(lines: readonly string[]): string[] {
    const { theme } = this.#look;
    const atWork = lines.filter((line) => AT_WORK.includes(LINE.exec(line)?.[2] ?? ''));
    const hidden = atWork.length - MOST_LINES;
    return [
      ...atWork.slice(0, MOST_LINES).map((line) => `  ${theme.fg('muted', plainLine(line))}`),
      ...(hidden > 0 ? [theme.fg('dim', `  … ${counted(hidden, 'more subagent')}`)] : []),
    ];
  }

  #otherRows(labels: readonly string[]): string[] {
    if (labels.length === 0) return [];
    const { theme } = this.#look;
    return [
      `${theme.fg('accent', '◆')} ${counted(labels.length, 'subagent')}: ${labels.map(plainLine).join(theme.fg('dim', ', '))}`,
    ];
  }
}

function linesOf({ type, resultText = '' }: ShownJob): readonly string[] {
  return type === 'task' ? resultText.split('\n').filter((line) => LINE.test(line)) : [];
}
