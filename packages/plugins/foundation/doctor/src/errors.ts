import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of the doctor. */
export const errors = defineErrors('doctor', {
  DOCTOR_UNKNOWN_CHECK: {
    exit: 'usage',
    summary: 'There is no check "{check}".{hint}',
    next: 'The checks are: {checks}.',
  },
  DOCTOR_REPORT_FILE: {
    exit: 'usage',
    summary: 'The report cannot be written to {file}: {reason}',
    next: 'Name a file that does not exist yet, in a folder that you may write to.',
  },
});
