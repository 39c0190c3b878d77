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
  SHELL_TOOLS_NO_REASON: {
    summary: 'A command outside of the sandbox needs a reason.',
    next: 'Say in `reason` what it must do that the sandbox does not allow, or leave `unsandboxed` out.',
  },
  SHELL_TOOLS_PTY_ASYNC: {
    summary: 'A job has no terminal.',
    next: 'Use either `pty` or `async`.',
  },
  SHELL_TOOLS_TIMEOUT: {
    summary: 'A time limit must be a number of seconds from 1 to 86400, not "{given}".',
    next: 'Write for example --timeout 60.',
    exit: 'usage',
  },
  SHELL_TOOLS_NO_JOBS: {
    summary: 'Commands cannot run in the background here: {reason}.',
    next: 'Leave `async` out, with a longer `timeout` if need be.',
  },
  SHELL_TOOLS_INTERCEPTED: {
    summary: 'Blocked: {message} Command: {command}',
    next: 'Use the tool {tool}; commands in pipes and lists are not held back.',
  },
  SHELL_TOOLS_URL_NO_FILE: {
    summary: '{url} is not a file on this machine.',
    next: 'Use the tool read or write instead.',
  },
  SHELL_TOOLS_URL_FAILED: {
    summary: '{url} cannot be used in a command: {reason}',
    next: 'Check the URL; the tool read shows what is behind it.',
  },
  SHELL_TOOLS_SHELL_LOST: {
    summary: 'The shell ended before the command did: {reason}.',
    next: 'Run it again: the next command gets a new shell. If that fails too, `tenon doctor` checks bash and the sandbox.',
  },
  SHELL_TOOLS_NO_BASH: {
    summary: 'No shell can be started: {reason}.',
    next: 'Install bash, or name one in the setting shell-tools.bash.',
  },
});
