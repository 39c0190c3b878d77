import { renderPrompt } from '@tenon/prompts';
import text from './debug.md';

/** The tool's text for models. */
export function debugPrompt(timeout: number): string {
  return renderPrompt(text, { timeout });
}
