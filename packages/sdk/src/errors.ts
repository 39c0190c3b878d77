import { defineErrors } from '@tenon/kernel';

/** What can go wrong between a program and Tenon. */
export const errors = defineErrors('sdk', {
  SDK_UNKNOWN_OPTION: {
    exit: 'usage',
    summary: '{caller} has no option "{option}".{hint}',
    next: 'Its options are: {known}.',
  },
  SDK_RPC_NOT_STARTED: {
    summary: '"{program}" could not be started: {reason}.',
    next: 'Name the program (`command`), or put tenon on the PATH. The built SDK brings its own; in a checkout `npm run setup` builds it.',
  },
  SDK_RPC_FAILED: {
    summary: 'The command "{command}" failed: {reason}',
    next: 'The process is still there; correct the command and send it again.',
  },
  SDK_RPC_TIMEOUT: {
    summary: 'The command "{command}" was not answered within {ms} ms.',
    next: 'Check that the process still runs, or give it more time (timeoutMs).',
  },
  SDK_RPC_GONE: {
    summary: 'The Tenon process has ended ({how}).{output}',
    next: 'Start it again.',
  },
});
