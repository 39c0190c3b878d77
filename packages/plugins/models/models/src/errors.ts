import { defineErrors } from '@tenon/kernel';

/** What can go wrong with models and credentials. */
export const errors = defineErrors('models', {
  MODELS_NONE: {
    summary: 'No model can be used: none of the known providers has credentials.',
    next: 'Log in with `tenon auth login PROVIDER`, or set a key such as ANTHROPIC_API_KEY. `tenon models list --all` shows every model.',
  },
  MODELS_NO_EYES: {
    summary: 'None of the available models can see images.',
    next: 'Log in to a provider whose models see images with `tenon auth login PROVIDER`, or name a model for images: `tenon config set models.roles.vision MODEL`. `tenon models list --all` says which models see.',
  },
  MODELS_NO_PROTOCOL: {
    summary: 'Model {model} speaks the protocol "{api}", which no plugin provides.{hint}',
    next: 'Correct `api` in {file}, or install the pack that provides it.',
  },
  MODELS_NO_KEY: {
    summary: 'There is no key for {provider}.',
    next: 'Run `tenon auth login {provider}`{orSet}.',
  },
  MODELS_NO_ADDRESS: {
    summary: 'The address of {provider} is not known.',
    next: 'Set `baseUrl` of {provider} in {file}{orSet}.',
  },
  MODELS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no model "{model}".{hint}',
    next: 'See the models with `tenon models list{search}`, or describe your own in models.yml.',
  },
  MODELS_NO_IMAGES: {
    summary: 'The model {model} does not see images, and no other one may take its place.',
    next: 'Choose a model that sees with --model, or name one for images: `tenon config set models.roles.vision MODEL`. `tenon models list` says which models see.',
  },
  MODELS_KEY_REFUSED: {
    summary: 'The provider {provider} does not accept the key: {said}',
    next: 'Give another key with `tenon auth login {provider}`{orSet}; `tenon auth list` shows which key is used. Or choose another model with --model.',
  },
  MODELS_NO_QUOTA: {
    summary: 'The account at {provider} has no credit or quota left: {said}',
    next: 'Add credit or raise the limit there, add a key of another account with `tenon auth login {provider}`, or choose another model with --model.',
  },
  MODELS_ASKS_TO_WAIT: {
    summary: 'The provider {provider} asks Tenon to wait longer than the settings allow: {said}',
    next: 'It asks to wait {wait}; Tenon waits {limit} at most (setting models.retry.maxWaitMs). Try again later, raise the setting, add another key with `tenon auth login {provider}`, or choose another model with --model.',
  },
  MODELS_RATE_LIMITED: {
    summary: 'The provider {provider} limits the number of requests: {said}',
    next: 'Try again in a while, add another key with `tenon auth login {provider}`, or let other models take over with the setting models.fallbacks. How often Tenon tries is the setting models.retry.maxAttempts.',
  },
  MODELS_PROVIDER_DOWN: {
    summary: 'The provider {provider} cannot answer at present: {said}',
    next: 'Try again in a while, choose another model with --model, or let other models take over with the setting models.fallbacks.',
  },
  MODELS_UNREACHABLE: {
    summary: 'There is no connection to {provider}: {said}',
    next: 'Check the network{address}. Behind a proxy, set HTTPS_PROXY.',
  },
  MODELS_NOT_SERVED: {
    summary: 'The provider {provider} does not serve the model "{id}": {said}',
    next: 'Check the name with `tenon models list {provider}`, and whether your account there may use the model. Or choose another one with --model.',
  },
  MODELS_TOO_LONG: {
    summary: 'The conversation is too long for the model "{id}": {said}',
    next: 'What did not fit is set aside: ask for less at once, or offer fewer tools with `--tools`. A model with a bigger window (`tenon models list` shows how big they are), or a local server that is started with a bigger context, takes more.',
  },
  MODELS_REQUEST_REFUSED: {
    summary: 'The provider {provider} does not take the request: {said}',
    next: 'Choose another model with --model. If you describe {provider} in {file}, check its `api`, `baseUrl` and `quirks` there.',
  },
  MODELS_ANSWER_REFUSED: {
    summary: 'The provider {provider} refuses to answer this: {said}',
    next: 'Ask in another way, or choose another model with --model.',
  },
  MODELS_FILE_ENTRY: {
    summary: 'The provider "{provider}" in {file} cannot be used: {problem}.',
    next: 'Correct it there; until then it and its models are missing.',
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
    exit: 'usage',
    summary: 'There is no provider "{provider}".{hint}',
    next: 'See the known ones with `tenon auth list --all`, or describe your own in {file}.',
  },
  MODELS_LOGIN_WHERE: {
    exit: 'usage',
    summary: 'No provider was named.',
    next: 'Write `tenon auth login PROVIDER`, for example anthropic, openai or google; `tenon auth list --all` names all of them.',
  },
  MODELS_NO_LOGIN_FLOW: {
    summary: '{provider} has no login in the browser that other programs may use.',
    next: 'Make an API key there and give it with `tenon auth login {provider}`.',
  },
  MODELS_LOGIN_NEEDS_KEY: {
    summary: 'No one is at a terminal to enter the key of {provider}.',
    next: 'Pipe it: `echo "$KEY" | tenon auth login {provider} --stdin`.',
  },
  MODELS_LOGIN_FAILED: {
    summary: 'The login to {provider} failed: {reason}.',
    next: 'Try `tenon auth login {provider}` again.',
  },
  MODELS_LOGIN_DENIED: {
    summary: 'The login to {provider} was refused: {reason}.',
    next: 'Allow it in the browser: run `tenon auth login {provider}` again.',
  },
  MODELS_LOGIN_TOO_LATE: {
    summary: 'The login to {provider} was not finished in time.',
    next: 'Run `tenon auth login {provider}` again; the code it shows is new.',
  },
  MODELS_LOGIN_CLIENT: {
    summary: 'The client id for {provider} is not accepted: {reason}.',
    next: 'Check it where it is registered{register}: its kind, its redirect address and, for a login with a code, whether that is switched on. Then correct `oauth` of {provider} in {file}, or give it with --client-id.',
  },
  MODELS_LOGIN_NEEDS_CLIENT: {
    summary: 'The login to {provider} needs a client id of your own.',
    next: 'Register one{register}, then run `tenon auth login {provider} --client-id ID`, or set `oauth.clientId` of {provider} in {file}. `tenon read docs://guide/vendor-terms.md` says what to register.',
  },
  MODELS_LOGIN_NEEDS_CONSENT: {
    summary: 'The login to {provider} needs your consent: {reason}',
    next: 'Run `tenon auth login {provider}` in a terminal and answer the question, or add --accept-terms. `tenon read docs://guide/vendor-terms.md` has what is known.',
  },
  MODELS_LOGIN_PORT: {
    summary: 'The login to {provider} needs port {port} of this machine, which is in use.',
    next: 'End the program that uses it, perhaps another login, and run `tenon auth login {provider}` again.',
  },
  MODELS_LOGIN_NO_PASTE: {
    summary: 'No one is at a terminal to paste the address for the login to {provider}.',
    next: 'Run `tenon auth login {provider} --paste` in a terminal.',
  },
  MODELS_NO_ACCESS: {
    summary: '{provider} does not let this account use its models: {reason}.',
    next: 'Check the plan of the account there, or log in with another one: `tenon auth login {provider}`. `tenon read docs://guide/vendor-terms.md` says what {provider} needs.',
  },
  MODELS_LOGIN_EXPIRED: {
    summary: 'The login to {provider} is over: {reason}.',
    next: 'Run `tenon auth login {provider}` again.',
  },
  MODELS_VAULT_KEY: {
    summary: 'The stored credentials in {file} cannot be opened: {reason}.',
    next: '{advice}',
  },
  MODELS_KEY_IN_FILE: {
    summary: 'The key to the stored credentials is kept in {file}, because the keychain cannot be used: {reason}.',
    next: 'When there is a keychain, `tenon auth login PROVIDER` moves it there. `tenon config set models.credentialStore file` settles for the file.',
  },
  MODELS_VAULT_DAMAGED: {
    summary: 'The stored credentials in {file} are damaged: {reason}.',
    next: 'Move the file away and log in again with `tenon auth login PROVIDER`.',
  },
});
