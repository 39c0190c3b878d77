import { defineErrors } from '@tenon/kernel';

/** What the shell itself can find wrong. */
export const errors = defineErrors('cli', {
  CLI_CWD: {
    exit: 'usage',
    summary: '"{folder}" (--cwd) cannot be used as the working folder: {reason}',
    next: 'Give a folder that exists.',
  },
  CLI_CWD_GONE: {
    exit: 'usage',
    summary: 'The working folder does not exist any more.',
    next: 'Change to a folder that exists, or give one with --cwd.',
  },
  CLI_NO_ANSWER: {
    summary: 'The question was not answered: the input ended.',
    next: 'Run the command again and answer, or see its --help for a flag that answers in advance.',
  },
  CLI_SET_BY_AGENT: {
    summary: 'An agent has started this program ({sign}), so {flag} cannot change its settings.',
    next: 'Leave {flag} out, or run it in a terminal of your own.',
  },
  CLI_STOPPED_BY_YOU: {
    summary: 'You stopped it with Ctrl-C.',
    next: 'Run it again to go on. What an agent changed in files until then stays; `tenon undo` takes it back.',
  },
  CLI_STOPPED_BY_SIGNAL: {
    summary: 'It was stopped from outside ({signal}).',
    next: 'Run it again to go on. What an agent changed in files until then stays; `tenon undo` takes it back.',
  },
  CLI_LOG_LEVEL: {
    summary: 'TENON_LOG is "{level}", which is not a level; Tenon uses "info".',
    next: 'Set it to one of: {levels}.',
  },
});
