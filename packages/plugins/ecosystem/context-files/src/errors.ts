import { defineErrors } from '@tenon/kernel';

/** What can go wrong with files for the system prompt. */
export const errors = defineErrors('context-files', {
  CONTEXT_FILES_UNTRUSTED: {
    summary: '{folder} is not trusted, so it cannot change the system prompt: {files} {verb} not used.',
    next: 'Read it. If you want it, trust the project with `tenon trust add {folderWord}`.',
  },
});
