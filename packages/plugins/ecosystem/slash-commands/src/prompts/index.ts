import { renderPrompt } from '@tenon/prompts';
import filesUndone from './files-undone.md';
import init from './init.md';
import review from './review.md';

/** The texts for models. */
export const prompts = {
  filesUndone: (values: { readonly isRedo: boolean; readonly paths: readonly string[] }) =>
    renderPrompt(filesUndone, values),
  init: (values: { readonly args: string; readonly existing: string }) => renderPrompt(init, values),
  review: (values: { readonly args: string }) => renderPrompt(review, values),
};
