import { renderPrompt } from '@tenon/prompts';
import alwaysApply from './always-apply.md';
import attachedRules from './attached-rules.md';
import rulebook from './rulebook.md';
import streamCut from './stream-cut.md';
import streamLate from './stream-late.md';

/** A rule as prompts show it. */
export interface ShownRule {
  readonly name: string;
  readonly content?: string;
  readonly description?: string;
  readonly globs?: string;
}

/** The texts for the model. */
export const prompts = {
  alwaysApply: (rules: readonly ShownRule[]) => renderPrompt(alwaysApply, { rules }),
  rulebook: (values: { rules: readonly ShownRule[]; leftOut: number }) => renderPrompt(rulebook, values),
  attachedRules: (rules: readonly ShownRule[]) => renderPrompt(attachedRules, { rules, many: rules.length > 1 }),
  streamCut: (rules: readonly ShownRule[], keepsAnswer: boolean) =>
    renderPrompt(streamCut, { rules, many: rules.length > 1, keepsAnswer }),
  streamLate: (rules: readonly ShownRule[]) => renderPrompt(streamLate, { rules, many: rules.length > 1 }),
};
