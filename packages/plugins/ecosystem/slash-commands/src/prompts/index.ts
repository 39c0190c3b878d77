import { renderPrompt } from '@tenon/prompts';
import init from './init.md';
import review from './review.md';

/** The texts for models. */
export const prompts = {
  init: (values: { readonly args: string; readonly existing: string }) => renderPrompt(init, values),
  review: (values: { readonly args: string }) => renderPrompt(review, values),
};
