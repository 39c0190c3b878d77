import { defineErrors } from '@tenon/kernel';

/** How a run can end without an answer. */
export const errors = defineErrors('print-mode', {
  PRINT_NO_PROMPT: {
    summary: 'There is nothing to do: no prompt was given, and nothing was piped in.',
    next: 'Write `tenon -p "what to do"`.',
  },
  PRINT_MODEL_FAILED: {
    summary: 'The model {model} gave no answer: {reason}',
    next: 'Try again with `tenon --resume {session} -p "go on"`, or choose another model with --model.',
  },
  PRINT_STOPPED: {
    summary: 'The run was stopped before it was done.',
    next: 'Go on with `tenon --resume {session} -p "go on"`.',
  },
  PRINT_REFUSED: {
    summary: 'The call of the tool "{tool}" was refused by {by}: {reason}',
    next: 'Nobody can be asked in this mode. What waits for an answer is in `tenon approval list`; after a change of mind, policy or hook go on with `tenon --resume {session} -p "go on"`.',
  },
});
