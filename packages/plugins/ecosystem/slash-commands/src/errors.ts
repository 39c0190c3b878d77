import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a slash command. */
export const errors = defineErrors('slash-commands', {
  SLASH_COMMANDS_UNKNOWN: {
    summary: 'There is no command "/{name}".{hint}',
    next: 'See the commands with `tenon commands list`, or begin the prompt with a space if it is no command.',
  },
  SLASH_COMMANDS_UNTRUSTED: {
    summary: 'The command "/{name}" ({file}) runs `{command}`, and {folder} is not trusted.',
    next: 'Read the file. If you trust the project: `tenon trust add {folderWord}`.',
  },
  SLASH_COMMANDS_SHELL: {
    summary: 'The command "/{name}" could not run `{command}`: {reason}',
    next: 'Allow the command, or change {file}.',
  },
  SLASH_COMMANDS_TOO_LONG: {
    summary: 'The command "/{name}" comes to {size} characters; at most {limit} are sent.',
    next: 'Include less in {file}.',
  },
});
