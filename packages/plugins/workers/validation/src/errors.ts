import { defineErrors } from '@tenon/kernel';

/** What can go wrong with a validation. */
export const errors = defineErrors('validation', {
  VALIDATION_NOTHING: {
    exit: 'usage',
    summary: 'No command was found that would validate {folder}.',
    next: 'Name it in the setting validation.commands.',
  },
});
