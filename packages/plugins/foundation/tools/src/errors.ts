import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of a tool from the command line, with a search for tools, and with their number. */
export const errors = defineErrors('tools', {
  TOOLS_INPUT_UNREADABLE: {
    summary: 'The input cannot be read from {origin}: {reason}',
    next: 'Check the name of the file and its permissions.',
  },
  TOOLS_INPUT_NOT_JSON: {
    exit: 'usage',
    summary: 'The input ({origin}) is not JSON: {reason}',
    next: 'Give a JSON object, e.g. --input \'{"path": "README.md"}\', or --input @FILE, or --input - for standard input.',
  },
  TOOLS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no tool "{tool}".{hint}',
    next: 'See `tenon tools list`.',
  },
  TOOLS_SOURCE_FAILED: {
    summary: 'The source "{source}" could not offer its tools: {reason}',
    next: 'See what is wrong with `tenon doctor`. The other tools can be used.',
  },
  TOOLS_EDIT_MODE_UNUSED: {
    exit: 'usage',
    summary: '--edit-mode is for the tool "edit", not for "{tool}".',
    next: 'Leave the flag out.',
  },
  TOOLS_FLAG_VALUE: {
    exit: 'usage',
    summary: '{flag} takes {expected}, not "{value}".',
    next: 'See `tenon help {command}`.',
  },
  TOOLS_QUERY_EMPTY: {
    summary: 'Query must contain at least one letter or number.',
    next: 'Describe in a few words what the tool should do.',
  },
  TOOLS_OVER_BUDGET: {
    summary: 'Not all tools fit into the prompt ({budget} tokens): {tools} are not offered from the start.',
    next: 'The model finds them by search. Raise tools.schemaBudget, or name the tools that matter in tools.essential.',
  },
});
