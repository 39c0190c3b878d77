import { renderPrompt } from '@tenon/file-tools/api';
import fetchText from './fetch.md';
import searchText from './web-search.md';

/** The tools' texts for models. */
export const prompts = { fetch: () => renderPrompt(fetchText), webSearch: () => renderPrompt(searchText) };
