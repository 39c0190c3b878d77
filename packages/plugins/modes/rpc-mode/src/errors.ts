import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a frame or a command. */
export const errors = defineErrors('rpc-mode', {
  RPC_NOT_JSON: {
    summary: 'This line is not JSON: {reason}',
    next: 'Send one JSON object per line.',
  },
  RPC_LINE_TOO_LONG: {
    summary: 'This line is longer than {limit} bytes and was skipped.',
    next: 'Send less at once; name big files by their path.',
  },
  RPC_UNKNOWN_COMMAND: {
    summary: 'There is no command "{command}".{hint}',
    next: 'See `tenon read docs://reference/rpc.md` for all commands.',
  },
  RPC_INVALID: {
    summary: 'The frame "{type}" is wrong: {problems}',
    next: '`tenon read docs://reference/rpc.schema.json` shows its shape.',
  },
  RPC_BUSY: {
    summary: 'The agent is working on an earlier prompt.',
    next: 'Set streamingBehavior to "steer" or "followUp", or send abort_and_prompt.',
  },
  RPC_MODEL_NOT_FOUND: {
    summary: 'Model not found: {model}',
    next: 'See get_available_models.',
  },
  RPC_NAME_EMPTY: {
    summary: 'Session name cannot be empty',
    next: 'Give it at least one letter.',
  },
  RPC_ENTRY_UNKNOWN: {
    summary: 'The session has no entry "{entry}".',
    next: 'Take an id from the messages of the session.',
  },
  RPC_NOT_A_USER_MESSAGE: {
    summary: 'Entry "{entry}" is not a message of the user.',
    next: 'See get_branch_messages.',
  },
  RPC_DUPLICATE: {
    summary: 'The {what} "{name}" is there twice.',
    next: 'Name each once.',
  },
  RPC_SCHEME_TAKEN: {
    summary: 'The scheme "{scheme}" cannot be used: it belongs to {owner}.',
    next: 'Choose another name. The earlier schemes stay.',
  },
  RPC_BASH_BUSY: {
    summary: 'A command is running already.',
    next: 'Wait for it, or send abort_bash.',
  },
  RPC_HOST_GONE: {
    summary: 'The program that should have answered is gone.',
    next: 'Start it again.',
  },
  RPC_HOST_URI: {
    summary: 'The host could not {operation} {url}: {reason}',
    next: 'Check the address, or ask the host.',
  },
});
