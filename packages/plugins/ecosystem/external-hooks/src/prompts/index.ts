import { renderPrompt } from '@tenon/prompts';
import context from './context.md';
import judge from './judge.md';

/** The texts that models read. */
export const prompts = {
  context: (text: string): string => renderPrompt(context, { text }).trim(),
  judge: (): string => renderPrompt(judge, {}).trim(),
};
