import { renderPrompt } from '@tenon/prompts';
import lsp from './lsp.md';

/** The tool's text for models. */
export const prompts = { lsp: () => renderPrompt(lsp) };
