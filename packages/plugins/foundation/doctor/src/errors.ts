import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of the doctor. */
export const errors = defineErrors('doctor', {
  DOCTOR_UNKNOWN_CHECK: {
    exit: 'usage',
    summary: 'There is no check "{check}".{hint}',
    next: 'The checks are: {checks}.',
  },
});
