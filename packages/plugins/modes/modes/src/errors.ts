import { defineErrors } from '@tenon/kernel';

/** What can be wrong before the agent starts. */
export const errors = defineErrors('modes', {
  MODES_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no mode "{mode}".{hint}',
    next: 'Use one of: {modes}.',
  },
  MODES_NOTHING_TO_DO: {
    exit: 'usage',
    summary: 'There is nothing to do: no prompt was given.',
    next: 'Write `tenon -p "what to do"`, name files with @FILE, or pipe text in.',
  },
  MODES_NO_RUNNER: {
    summary: 'No plugin runs {what} of the user.',
    next: 'Switch the plugin {plugin} on, or install another one that handles the hook `{hook}`.',
  },
  MODES_SESSION_FLAGS: {
    exit: 'usage',
    summary: 'The flags {flags} contradict each other: each of them says which session to use.',
    next: 'Give one of them.',
  },
  MODES_NO_INPUT: {
    exit: 'usage',
    summary: 'The mode "{mode}" takes no prompt and no files on the command line, but was given "{input}".',
    next: 'Start it without, and send what you want over its protocol.',
  },
  MODES_FILE_UNREADABLE: {
    summary: 'The file "{file}" cannot be read: {reason}',
    next: 'Check the name. Write @@ for a prompt that begins with @.',
  },
  MODES_FILE_BINARY: {
    summary: 'The file "{file}" is neither text nor an image that models read (PNG, JPEG, GIF, WebP).',
    next: 'Name it in the prompt without @, so that the agent can look at it with its tools.',
  },
  MODES_FILE_TOO_BIG: {
    summary: 'The file "{file}" is too big to send whole ({bytes} bytes, {limit} are allowed).',
    next: 'Name it in the prompt without @, so that the agent reads the parts it needs.',
  },
  MODES_PIPE_TOO_BIG: {
    summary: 'More was piped in than is sent whole (at most {limit} bytes).',
    next: 'Write it to a file and name the file in the prompt, so that the agent reads the parts it needs.',
  },
  MODES_PIPE_BINARY: {
    summary: 'What was piped in is no text.',
    next: 'Write it to a file and name the file in the prompt; an image goes with the prompt as @FILE.',
  },
});
