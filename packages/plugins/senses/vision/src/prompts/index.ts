import { renderPrompt } from '@tenon/prompts';
import inspectImage from './inspect-image.md';
import looking from './looking.md';

/** The texts for models. */
export const prompts = {
  inspectImage: () => renderPrompt(inspectImage),
  looking: () => renderPrompt(looking),
};
