import { defineErrors } from '@tenon/kernel';

/** What can be wrong with the lists of secrets, and with placeholders in calls. */
export const errors = defineErrors('secrets', {
  SECRETS_FILE_INVALID: {
    summary: 'The list of secrets in {file} cannot be used: {reason}',
    next: 'Correct the file. Until then nothing is sent to a model, because secrets could go with it.',
  },
  SECRETS_PROJECT_ENTRY: {
    summary: 'Entry {number} of {file} is ignored: {reason}.',
    next: 'If you want it, put it into your own secrets.yml.',
  },
  SECRETS_PROJECT_LONG: {
    summary: '{file} lists more than {limit} secrets; the rest is ignored.',
    next: 'If you want all of them, put them into your own secrets.yml.',
  },
});
