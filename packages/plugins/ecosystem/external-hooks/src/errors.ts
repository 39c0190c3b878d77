import { defineErrors } from '@tenon/kernel';

/** What can be wrong with hooks that are commands. */
export const errors = defineErrors('external-hooks', {
  EXTERNAL_HOOKS_EVENT_UNKNOWN: {
    exit: 'usage',
    summary: 'No tool that Tenon knows has a hook event "{event}".{hint}',
    next: 'See `tenon hooks list` for the hooks you have, and `tenon read docs://guide/hooks.md` for the events.',
  },
  EXTERNAL_HOOKS_INPUT_INVALID: {
    summary: 'The input for the hooks is not a JSON object: {reason}.',
    next: 'Give an object, for example --input \'{"tool_name": "Bash", "tool_input": {"command": "ls"}}\'.',
  },
});
