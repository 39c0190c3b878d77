import { renderPrompt } from '@tenon/prompts';
import type { CellLanguage } from '../api.ts';
import text from './eval.md';

/** The tool's text for models: only what is switched on is mentioned. */
export function evalPrompt(languages: readonly CellLanguage[], timeout: number): string {
  const [python, javascript] = [languages.includes('python'), languages.includes('javascript')];
  const names = [...(python ? ['Python'] : []), ...(javascript ? ['JavaScript'] : [])].join(' and ');
  return renderPrompt(text, { languages: names, short: python ? 'py' : 'js', python, javascript, timeout });
}
