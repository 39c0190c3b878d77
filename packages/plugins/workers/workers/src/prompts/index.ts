import { renderPrompt } from '@tenon/prompts';
import longTask from './long-task.md';
import offeredTools from './offered-tools.md';
import structuredAnswer from './structured-answer.md';

/** The texts for models. */
export const prompts = {
  structuredAnswer: (values: { readonly schema: string }) => renderPrompt(structuredAnswer, values),
  longTask: (values: { readonly file: string }) => renderPrompt(longTask, values),
  offeredTools: (values: {
    readonly server: string;
    readonly isReadOnly: boolean;
    readonly categories: readonly { readonly name: string; readonly tools: readonly object[] }[];
  }) => renderPrompt(offeredTools, values),
};
