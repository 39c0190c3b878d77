import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of a tool from the command line. */
export const errors = defineErrors('tools', {
  TOOLS_INPUT_UNREADABLE: {
    summary: 'The input cannot be read from {origin}: {reason}',
    next: 'Check the name of the file and its permissions.',
  },
  TOOLS_INPUT_NOT_JSON: {
    summary: 'The input ({origin}) is not JSON: {reason}',
    next: 'Give a JSON object, e.g. --input \'{"path": "README.md"}\', or --input @FILE, or --input - for standard input.',
  },
});
