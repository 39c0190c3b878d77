import { defineErrors } from '@tenon/kernel';

/** What can be wrong with rules. */
export const errors = defineErrors('rules', {
  RULES_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no rule "{name}".{hint}',
    next: 'Rules here: {names}.',
  },
  RULES_PATTERN: {
    summary: 'A condition of the rule "{name}" ({file}) cannot be used: {reason}.',
    next: 'Correct the regular expression under `condition`.',
  },
  RULES_SCOPE: {
    summary: 'The rule "{name}" ({file}) has a scope that is not known: "{word}".',
    next: 'Use text, thinking, tool, tool:NAME or tool:NAME(GLOB).',
  },
  RULES_TOO_SLOW: {
    summary: 'The rule "{name}" ({file}) is not watched any more: its condition takes too long.',
    next: 'Avoid repetitions inside of repetitions, such as (a+)+, in its `condition`.',
  },
});
