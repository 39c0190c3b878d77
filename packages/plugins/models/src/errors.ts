import { defineErrors } from '@tenon/kernel';

/** What can go wrong with models and credentials. */
export const errors = defineErrors('models', {
  MODELS_NONE: {
    summary: 'No model can be used: none of the known providers has credentials.',
    next: 'Log in with `tenon auth login PROVIDER`, or set a key such as ANTHROPIC_API_KEY. `tenon models list --all` shows every model.',
  },
  MODELS_NO_PROTOCOL: {
    summary: 'Model {model} speaks the protocol "{api}", which no plugin provides.{hint}',
    next: 'Correct `api` in {file}, or install the pack that provides it.',
  },
  MODELS_NO_KEY: {
    summary: 'There is no key for {provider}.',
    next: 'Run `tenon auth login {provider}`{orSet}.',
  },
  MODELS_FILE_INVALID: {
    summary: 'The models file {file} cannot be used: {problem}.',
    next: 'Correct it; until then its models and endpoints are missing.',
  },
  MODELS_KEY_COMMAND: {
    summary: 'The command for the key of {provider} failed: {reason}.',
    next: 'Run the command by hand; it is `apiKey` of {provider} in {file}.',
  },
  MODELS_UNKNOWN_ENDPOINT: {
    summary: 'There is no provider "{provider}".{hint}',
    next: 'See the known ones with `tenon auth list --all`, or describe your own in {file}.',
  },
  MODELS_NO_LOGIN_FLOW: {
    summary: '{provider} has no login in the browser that other programs may use.',
    next: 'Make an API key there and give it with `tenon auth login {provider}`.',
  },
  MODELS_LOGIN_NEEDS_KEY: {
    summary: 'Nobody is there to be asked for the key of {provider}.',
    next: 'Pipe it: `echo "$KEY" | tenon auth login {provider} --stdin`.',
  },
  MODELS_LOGIN_FAILED: {
    summary: 'The login at {provider} did not succeed: {reason}.',
    next: 'Try `tenon auth login {provider}` again.',
  },
  MODELS_LOGIN_EXPIRED: {
    summary: 'The login at {provider} is over: {reason}.',
    next: 'Run `tenon auth login {provider}` again.',
  },
  MODELS_VAULT_KEY: {
    summary: 'The stored credentials in {file} cannot be opened: {reason}.',
    next: '{advice}',
  },
  MODELS_VAULT_DAMAGED: {
    summary: 'The stored credentials in {file} are damaged: {reason}.',
    next: 'Move the file away and log in again with `tenon auth login PROVIDER`.',
  },
});
