import { defineErrors } from '@tenon/kernel';

/** What can go wrong with accounts. */
export const errors = defineErrors('accounts', {
  ACCOUNTS_EXHAUSTED: {
    exit: 'unavailable',
    summary: 'All accounts of {vendor} are used up; the first is free again at {until}.',
    next: 'Wait, add another with `tenon account add {vendor}`, or choose another worker with --worker.',
  },
  ACCOUNTS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no account "{id}".{hint}',
    next: 'Run `tenon account list`.',
  },
  ACCOUNTS_VENDOR: {
    exit: 'usage',
    summary: '"{vendor}" cannot be the name of a vendor.',
    next: 'Use small letters, digits and dashes, as `tenon worker list` shows it: anthropic.',
  },
  ACCOUNTS_NO_SECRET: {
    exit: 'usage',
    summary: 'No key was given.',
    next: 'Type it at a terminal, or pass it with --stdin.',
  },
  ACCOUNTS_ONE_KIND: {
    exit: 'usage',
    summary: 'Only one of --token, --import and --config-folder can be given.',
    next: 'Choose one.',
  },
  ACCOUNTS_LOGIN_FILE: {
    exit: 'usage',
    summary: '{file} is not a login for {vendor}: {reason}',
    next: 'Log in with the CLI itself, then import the file that it writes.',
  },
  ACCOUNTS_FOLDER: {
    exit: 'usage',
    summary: '{folder} is not a folder.',
    next: 'Name the folder in which the CLI is logged in, such as a copy of ~/.claude.',
  },
  ACCOUNTS_KIND: {
    exit: 'usage',
    summary:
      'The worker {worker} cannot use the account {id}: Tenon does not know how it takes a login of the kind "{kind}".',
    next: 'Add an API key for it: `tenon account add {vendor}`.',
  },
  ACCOUNTS_LOGIN_ENDED: {
    exit: 'unavailable',
    summary: 'The login of the account {id} has ended: {reason}',
    next: 'Log in with the CLI again and import the login: `tenon account add {vendor} --import FILE`.',
  },
  ACCOUNTS_INVALID: {
    summary: 'The list of accounts in {file} cannot be read: {reason}',
    next: 'Correct the file, or delete it and add the accounts again.',
  },
});
