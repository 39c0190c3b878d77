import { renderPrompt } from '@tenon/prompts';
import sessionTitle from './session-title.md';

/** The texts for models. */
export const prompts = {
  sessionTitle: (values: { readonly message: string }) => renderPrompt(sessionTitle, values),
};
