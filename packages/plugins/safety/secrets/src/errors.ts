import { defineErrors } from '@tenon/kernel';

/** What can be wrong with the lists of secrets. */
export const errors = defineErrors('secrets', {
  SECRETS_FILE_INVALID: {
    summary: 'The list of secrets in {file} cannot be used: {reason}',
    next: 'Correct the file. Until then nothing is sent to a model, because secrets could go with it.',
  },
  SECRETS_PROJECT_REGEX: {
    summary: 'Entry {number} of {file} is a pattern; a project may only list plain secrets. It is ignored.',
    next: 'If you want the pattern, put it into your own secrets.yml.',
  },
});
