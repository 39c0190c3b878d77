import { renderPrompt } from '@tenon/prompts';
import request from './commit-request.md';
import system from './commit-system.md';

/** What the request is made of. */
export interface RequestValues {
  readonly subjects: readonly string[];
  readonly about: string;
  readonly files: readonly string[];
  readonly shortened: string;
  readonly diff: string;
  readonly problem: string;
}

/** The texts for models. */
export const prompts = {
  system: (values: {
    readonly types: string;
    readonly maxSubject: number;
    readonly hasChangelog: boolean;
    readonly maySplit: boolean;
  }) => renderPrompt(system, values),
  request: (values: RequestValues) => renderPrompt(request, { ...values }),
};
