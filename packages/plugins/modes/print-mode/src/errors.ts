import { defineErrors } from '@tenon/kernel';

/** How a run can end without an answer. */
export const errors = defineErrors('print-mode', {
  PRINT_NO_PROMPT: {
    exit: 'usage',
    summary: 'There is nothing to do: no prompt was given, and nothing was piped in.',
    next: 'Write `tenon -p "what to do"`.',
  },
  PRINT_MODEL_FAILED: {
    summary: 'The model {model} gave no answer: {reason}',
    next: '{advice} To try again, {again}.',
  },
  PRINT_CUT_OFF: {
    summary: 'The answer of {model} is not whole: it reached the limit of what the model may write at once.',
    next: 'Ask for less at once, choose a model that may write more with --model, or {again}.',
  },
  PRINT_EMPTY: {
    summary: 'The model {model} ended without an answer; what its tools did is done.',
    next: 'To get an answer, {again}.',
  },
  PRINT_STOPPED: {
    summary: 'The run was stopped before it was done.',
    next: 'To finish it, {again}.',
  },
  PRINT_WAITS: {
    summary: 'A call of the tool "{tool}" needs approval (tier {tier}: {reasons}) and waits for your answer: {call}',
    next: 'Nobody can be asked in this mode. Answer with `tenon approval allow {id}{way}` or `tenon approval deny {id}`, then {again}.',
  },
  PRINT_REFUSED: {
    summary: 'The call of the tool "{tool}" was refused by {by}: {reason}',
    next: 'The model was told and went on without it. If the policy or hook is wrong, change it; then {again}.',
  },
});
