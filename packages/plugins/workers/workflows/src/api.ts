/** What others may use of workflows: what one is, where it stands, and the service that steers them. */
import { service } from '@tenon/kernel';
import type { WorkflowDetails, WorkflowSummary } from './overview.ts';

export { type Definition, definitionSchema, type NodeDefinition, type NodeKind } from './definition.ts';
export { errors } from './errors.ts';
export type { NodeSummary, StepSummary, WorkflowDetails, WorkflowSummary } from './overview.ts';
export type { JournalEntry, StepState, WorkflowState } from './state.ts';

/** Workflows. A name is an id, or a beginning that only one has. */
export interface Workflows {
  /** All of them, the newest first, and those whose journal cannot be read. */
  list(): Promise<{
    readonly workflows: readonly WorkflowSummary[];
    readonly damaged: readonly { readonly id: string; readonly problem: string }[];
  }>;
  details(name: string): Promise<WorkflowDetails>;
  /** Answers a step that asks. The first answer counts. The process that works on the workflow goes on, else this one does. */
  answer(name: string, step: string, answer: string): Promise<void>;
  /** Works on it in this process until it ends or waits; resolves when that has begun. */
  continue(name: string): Promise<void>;
  /** Runs what failed again, in this process. */
  retry(name: string): Promise<void>;
  /** Ends it and its runs. */
  cancel(name: string): Promise<void>;
}

/** Workflows. */
export const workflows = service<Workflows>('workflows');
