import { renderPrompt } from '@tenon/prompts';
import bash from './bash.md';

/** The tools' texts for models. */
export const prompts = {
  bash: (values: { readonly timeout: number; readonly after: number }) => renderPrompt(bash, values),
};
