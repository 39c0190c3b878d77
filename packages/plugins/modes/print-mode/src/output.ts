/** How a run is written down while it goes on: what all forms have in common. */
import type { AgentEvent, MadeAgent } from '@tenon/agent/api';
import type { TenonError } from '@tenon/kernel';
import type { Report } from './outcome.ts';

/** What came of one prompt. */
export interface Answer {
  readonly text: string;
  /** Set with a schema, when the answer fits it. */
  readonly structured?: { readonly value: unknown };
  readonly report: Report;
  /** Of the run so far. */
  readonly turns: number;
  readonly spentUsd: number;
}

/** Writes a run. */
export interface Output {
  begin(made: MadeAgent): Promise<void>;
  event(event: AgentEvent): void;
  answer(answer: Answer): Promise<void>;
  /** The run ends with an error that the shell reports. */
  failed(fault: unknown): Promise<void>;
  /** Everything has been written. */
  finish(): Promise<void>;
}

/** Problems as the shell reports failures and warnings to programs. */
export function problemLines({ refusals, problems }: Report): string {
  const diagnostics = refusals.map((refusal) => ({ severity: 'warning', ...refusal.toJSON() }));
  const lines = [...(diagnostics.length > 0 ? [{ diagnostics }] : []), ...problems.map((error) => ({ error }))];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Whether a problem is of a kind. */
export function has(problems: readonly TenonError[], code: string): boolean {
  return problems.some((problem) => problem.code === code);
}
