import { renderPrompt } from '@tenon/prompts';
import fetchText from './fetch.md';
import searchText from './web-search.md';

/** The tools' texts for models. */
export const prompts = { fetch: () => renderPrompt(fetchText), webSearch: () => renderPrompt(searchText) };
