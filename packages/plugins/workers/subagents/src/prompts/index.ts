import { renderPrompt } from '@tenon/prompts';
import assignment from './assignment.md';
import commitMessage from './commit-message.md';
import reminder from './reminder.md';
import system from './system.md';
import task from './task.md';
import yieldText from './yield.md';

/** A subagent as the model that may start it sees it. */
export interface ListedAgent {
  readonly name: string;
  readonly description: string;
}

/** The texts for models. */
export const prompts = {
  task: (values: { readonly agents: readonly ListedAgent[]; readonly canIsolate: boolean }) =>
    renderPrompt(task, values),
  system: (values: {
    readonly agent: string;
    readonly instructions: string;
    readonly hasSchema: boolean;
    readonly isPlanning: boolean;
    readonly isIsolated: boolean;
    readonly cwd: string;
    readonly platform: string;
    readonly date: string;
  }) => renderPrompt(system, values),
  assignment: (values: { readonly context: string; readonly description: string; readonly assignment: string }) =>
    renderPrompt(assignment, values),
  reminder: (values: { readonly number: number; readonly limit: number; readonly hasSchema: boolean }) =>
    renderPrompt(reminder, values),
  yield: () => renderPrompt(yieldText),
  commitMessage: (values: { readonly label: string; readonly diff: string }) => renderPrompt(commitMessage, values),
};
