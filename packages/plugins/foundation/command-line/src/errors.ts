import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a command line. */
export const errors = defineErrors(
  'command-line',
  {
    COMMAND_LINE_UNKNOWN_COMMAND: {
      summary: 'There is no command "{command}".{hint}',
      next: 'See all commands with `tenon help`.{prompt}',
    },
    COMMAND_LINE_UNCLEAR: {
      summary: '"{text}" can be the command `tenon {command}` or a prompt.',
      next: 'For the command write `{asCommand}`, for the prompt `{asPrompt}`.',
    },
    COMMAND_LINE_UNKNOWN_FLAG: {
      summary: '`{usage}` has no flag "{flag}".{hint}',
      next: 'See its flags with `{usage} --help`. Put `--` before words that start with a dash and are not flags.',
    },
    COMMAND_LINE_FLAG_PLACE: {
      summary: 'The flag "{flag}" comes before the command.',
      next: 'Put the flags of a command after its name: `tenon COMMAND {flag}`. Only {flags} may come anywhere.',
    },
    COMMAND_LINE_FLAG_VALUE: {
      summary: 'The flag "{flag}" needs a value.',
      next: 'Write `{flag} {placeholder}`, or `{flag}={placeholder}` when the value starts with a dash.',
    },
    COMMAND_LINE_FLAG_NO_VALUE: {
      summary: 'The flag "{flag}" takes no value, but was given "{value}".',
      next: 'Write `{flag}` alone.',
    },
    COMMAND_LINE_FLAG_REPEATED: {
      summary: 'The flag "{flag}" was given more than once.',
      next: 'Give it once.',
    },
    COMMAND_LINE_CHOICE: {
      summary: '"{value}" is not a value of {what}.{hint}',
      next: 'Use one of: {choices}.',
    },
    COMMAND_LINE_ARGUMENT_MISSING: {
      summary: '`{usage}` needs {missing}.',
      next: 'Write `{synopsis}`; `{usage} --help` explains it.',
    },
    COMMAND_LINE_ARGUMENT_EXTRA: {
      summary: '`{usage}` does not take "{extra}".',
      next: 'Write `{synopsis}`. Put quotes around a value that has spaces.',
    },
    COMMAND_LINE_UNKNOWN_TOPIC: {
      summary: 'There is no help on "{topic}".{hint}',
      next: 'See all commands and topics with `tenon help`.',
    },
    COMMAND_LINE_SPEC_INVALID: {
      summary: 'Command "{command}" of plugin "{plugin}" ({file}) is left out: {problem}.',
      next: 'Correct it in the manifest, under contributes / cli-commands.',
    },
    COMMAND_LINE_PERSON_ONLY: {
      exit: 'failure',
      summary: '`tenon {command}` is for people, and an agent has started this program: {sign}.',
      next: 'Run it in a terminal of your own. Agents: ask the user to do so; do not look for another way.',
    },
    COMMAND_LINE_COMPLETION_KIND: {
      summary: 'Nothing is known about candidates of the kind "{kind}".',
      next: 'Use plugins, settings, or slot:ID.',
    },
  },
  'usage',
);
