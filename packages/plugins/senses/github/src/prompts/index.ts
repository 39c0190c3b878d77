import { renderPrompt } from '@tenon/prompts';
import github from './github.md';

/** The tool's text for models. */
export const prompts = { github: () => renderPrompt(github) };
