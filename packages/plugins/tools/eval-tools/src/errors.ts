import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of `eval`. */
export const errors = defineErrors('eval-tools', {
  EVAL_EMPTY: {
    summary: 'There is no cell to run.',
    next: 'Start a cell with a line like *** Cell py:"title", followed by its code.',
  },
  EVAL_TIMEOUT_INVALID: {
    summary: '"{value}" is not a time, in the header of cell {cell}.',
    next: 'Write t:30s, t:500ms or t:2m.',
  },
  EVAL_LANGUAGE_OFF: {
    summary: 'Cells in {language} are switched off.',
    next: 'Use the other language, or change the setting eval-tools.languages.',
  },
  EVAL_NO_PYTHON: {
    summary: 'No Python was found: {reason}.',
    next: 'Install python3 (3.8 or later), name one in the setting eval-tools.python, or write the cell in JavaScript (js).',
  },
  EVAL_KERNEL_FAILED: {
    summary: 'The {language} kernel could not be started: {reason}',
    next: 'Call again; `tenon sandbox status` shows what holds programs here.',
  },
  EVAL_CLOSED: { summary: 'Cells cannot run any more: {reason}.', next: 'Start Tenon anew.' },
});
