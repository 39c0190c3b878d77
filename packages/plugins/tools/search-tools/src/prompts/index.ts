import { renderPrompt } from '@tenon/prompts';
import find from './find.md';
import search from './search.md';

/** The tools' texts for models. */
export const prompts = {
  find: (values: { readonly limit: number }) => renderPrompt(find, values),
  search: (values: { readonly page: number }) => renderPrompt(search, values),
};
