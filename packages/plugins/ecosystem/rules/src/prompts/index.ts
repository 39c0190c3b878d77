import { renderPrompt } from '@tenon/prompts';
import { fencedText, tagValue } from '@tenon/wording';
import alwaysApply from './always-apply.md';
import attachedRules from './attached-rules.md';
import rulebook from './rulebook.md';
import streamCut from './stream-cut.md';
import streamLate from './stream-late.md';

/** Rules with texts that cannot end their blocks. */
function fenced(rules: readonly ShownRule[]): readonly ShownRule[] {
  return rules.map((rule) => ({
    ...rule,
    name: tagValue(rule.name),
    ...(rule.content !== undefined && { content: fencedText(rule.content) }),
    ...(rule.description !== undefined && { description: fencedText(rule.description) }),
  }));
}

/** A rule as prompts show it. */
export interface ShownRule {
  readonly name: string;
  readonly content?: string;
  readonly description?: string;
  readonly globs?: string;
  /** True when it comes from a project that the user has not trusted. */
  readonly untrusted?: boolean;
}

/** The texts for the model. */
export const prompts = {
  alwaysApply: (rules: readonly ShownRule[]) => renderPrompt(alwaysApply, { rules: fenced(rules) }),
  rulebook: ({ rules, leftOut }: { rules: readonly ShownRule[]; leftOut: number }) =>
    renderPrompt(rulebook, { rules: fenced(rules), leftOut }),
  attachedRules: (rules: readonly ShownRule[]) =>
    renderPrompt(attachedRules, { rules: fenced(rules), many: rules.length > 1 }),
  streamCut: (rules: readonly ShownRule[], keepsAnswer: boolean) =>
    renderPrompt(streamCut, { rules: fenced(rules), many: rules.length > 1, keepsAnswer }),
  streamLate: (rules: readonly ShownRule[]) =>
    renderPrompt(streamLate, { rules: fenced(rules), many: rules.length > 1 }),
};
