import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a slash command. */
export const errors = defineErrors('slash-commands', {
  SLASH_COMMANDS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no command "/{name}".{hint}',
    next: '/help lists the commands (in a shell: `tenon commands list`). In a prompt, put a space before the slash to send it as ordinary text.',
  },
  SLASH_COMMANDS_UNTRUSTED: {
    summary: 'The command "/{name}" ({file}) runs `{command}`, and {folder} is not trusted.',
    next: 'Read the file. If you trust the project: `tenon trust add {folderWord}`.',
  },
  SLASH_COMMANDS_SHELL: {
    summary: 'The command "/{name}" could not run `{command}`: {reason}',
    next: 'Allow the command, or change {file}.',
  },
  SLASH_COMMANDS_NO_SESSION: {
    summary: '/{name} is about a conversation, and there is none here.',
    next: 'Use it in a session: `tenon -p "/{name}"`, or `tenon --continue -p "/{name}"` for the last one.',
  },
  SLASH_COMMANDS_BUSY: {
    summary: '/{name} cannot be used while the agent works.',
    next: 'Wait until the agent is done, or stop it, and send the command again.',
  },
  SLASH_COMMANDS_ENTRY: {
    summary: '"{entry}" {problem} of this session.',
    next: 'Take an id from the list that /tree shows.',
  },
  SLASH_COMMANDS_NO_PLAN: {
    summary: 'There is no plan to approve: planning is not on.',
    next: 'Begin with /plan and what you want to be planned.',
  },
  SLASH_COMMANDS_TOO_LONG: {
    summary: 'The command "/{name}" comes to {size} characters; at most {limit} are sent.',
    next: 'Include less in {file}.',
  },
});
