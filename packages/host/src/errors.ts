import { defineErrors } from '@tenon/kernel';

/** What can be wrong with the surroundings of the program. */
export const errors = defineErrors(
  'host',
  {
    HOST_ENV_FILE: {
      summary: 'The file {file} cannot be read: {reason}.',
      next: 'Correct its permissions (0600 is best: it holds keys), or remove it.',
    },
    HOST_NO_HOME: {
      summary: 'There is no home folder: HOME is empty or relative, and the system knows none ({reason}).',
      next: 'Set HOME, or TENON_HOME, to an absolute path.',
    },
    HOST_FOLDER_RELATIVE: {
      summary: 'TENON_HOME is "{folder}", which is a different folder in every project.',
      next: 'Set TENON_HOME to an absolute path, or unset it.',
    },
  },
  'config',
);
