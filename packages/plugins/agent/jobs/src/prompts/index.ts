import { renderPrompt } from '@tenon/prompts';
import finished from './finished.md';
import job from './job.md';

/** A job that the agent is told about. */
export interface FinishedJob {
  readonly id: string;
  readonly label: string;
  readonly verb: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** The texts for models. */
export const prompts = {
  job: (values: { readonly seconds: number }) => renderPrompt(job, values),
  finished: (values: { readonly jobs: readonly FinishedJob[] }) => renderPrompt(finished, values),
};
