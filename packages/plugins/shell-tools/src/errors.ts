import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of a shell tool. */
export const errors = defineErrors('shell-tools', {
  SHELL_TOOLS_ENV_NAME: {
    summary: 'Invalid bash env name: {name}.',
    next: 'Use letters, digits and underscores, not starting with a digit.',
  },
  SHELL_TOOLS_CWD_MISSING: {
    summary: 'Working directory does not exist: {path}.',
    next: 'Leave cwd out to run in the project folder, or make the folder first.',
  },
  SHELL_TOOLS_CWD_NO_FOLDER: {
    summary: 'Working directory is not a directory: {path}.',
    next: 'Name the folder, not a file in it.',
  },
  SHELL_TOOLS_COMMAND_EMPTY: { summary: 'The command is empty.', next: 'Give a shell command.' },
  SHELL_TOOLS_NO_BASH: {
    summary: 'No shell can be started: {reason}.',
    next: 'Install bash, or name one in the setting shell-tools.bash.',
  },
});
