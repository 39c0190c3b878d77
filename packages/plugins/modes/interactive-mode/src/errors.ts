import { defineErrors } from '@tenon/kernel';

/** What can go wrong on the screen before there is one. */
export const errors = defineErrors('interactive-mode', {
  INTERACTIVE_NO_TERMINAL: {
    exit: 'usage',
    summary: 'The screen needs a terminal, and {what} is none.',
    next: 'Use `tenon -p "what to do"` in scripts and pipes.',
  },
});
