import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of a syntax tool. */
export const errors = defineErrors('syntax-tools', {
  SYNTAX_TOOLS_PATTERN_EMPTY: {
    summary: 'The pattern is empty.',
    next: 'Give code with metavariables, e.g. "console.log($ARG)".',
  },
  SYNTAX_TOOLS_PATTERN_TWICE: {
    summary: 'The pattern "{pattern}" is given twice.',
    next: 'Keep one of the two operations.',
  },
  SYNTAX_TOOLS_UNBOUND: {
    summary: 'The replacement has {variable}, which the pattern "{pattern}" does not have.',
    next: 'Use only variables of the pattern, written as there: $NAME for one node, $$$NAME for a list.',
  },
  SYNTAX_TOOLS_CHANGED: {
    summary: '{path} changed while it was being looked at.',
    next: 'Nothing was changed. Call ast_edit again.',
  },
  SYNTAX_TOOLS_STALE: {
    summary: 'The preview is out of date: {paths} changed since.',
    next: 'Nothing was changed. Call ast_edit again to see what would happen now.',
  },
  SYNTAX_TOOLS_NOT_APPROVED: {
    summary: 'The newest preview ({label}) came after this call was approved.',
    next: 'Call resolve again, so that this preview is judged.',
  },
  SYNTAX_TOOLS_NOTHING_PENDING: {
    summary: 'No pending action to resolve. Nothing to apply or discard.',
    next: 'Call ast_edit first; its preview is what resolve decides about.',
  },
});
