import { renderPrompt } from '@tenon/prompts';
import map from './map.md';

/** The texts for models. */
export const prompts = {
  map: (values: { readonly map: string }) => renderPrompt(map, values),
};
