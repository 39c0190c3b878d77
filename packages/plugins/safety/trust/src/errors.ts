import { defineErrors } from '@tenon/kernel';

/** Every error about trusted folders. */
export const errors = defineErrors('trust', {
  TRUST_NO_FOLDER: {
    exit: 'usage',
    summary: '{folder} is not a folder.',
    next: 'Name a folder that exists.',
  },
  TRUST_TOO_WIDE: {
    summary: '{folder} holds everything else, so trusting it would trust every project on this machine.',
    next: 'Trust the folder of the project, or run the command again with --force.',
  },
  TRUST_RECORD_INVALID: {
    summary: 'The record of trusted folders, {file}, is damaged: {reason}. No folder is trusted.',
    next: 'Correct the file, or remove it and trust the folders again.',
  },
  TRUST_NOT_DECIDED: {
    summary: 'Nothing was decided about {folder}.',
    next: 'See what was with `tenon trust list`.',
  },
});
