import { renderPrompt } from '@tenon/prompts';
import longTask from './long-task.md';
import structuredAnswer from './structured-answer.md';

/** The texts for models. */
export const prompts = {
  structuredAnswer: (values: { readonly schema: string }) => renderPrompt(structuredAnswer, values),
  longTask: (values: { readonly file: string }) => renderPrompt(longTask, values),
};
