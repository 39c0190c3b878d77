import { defineErrors } from '@tenon/kernel';

/** What can go wrong before a provider is even called. */
export const errors = defineErrors('providers', {
  PROVIDERS_AWS_CREDENTIALS: {
    summary: 'No AWS credentials {from}: {reason}.',
    next: 'Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run `aws sso login` and set AWS_PROFILE.',
  },
  PROVIDERS_GOOGLE_CREDENTIALS: {
    summary: 'No credentials of Google Cloud: {reason}.',
    next: 'Run `gcloud auth application-default login`, let GOOGLE_APPLICATION_CREDENTIALS name the file of a service account, or set GOOGLE_CLOUD_API_KEY.',
  },
  PROVIDERS_GOOGLE_PROJECT: {
    summary: 'Vertex AI cannot be reached: {variable} is not set, or is no name.',
    next: 'Set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION (a region, or `global`), or GOOGLE_CLOUD_API_KEY.',
  },
  PROVIDERS_LOCAL_KEY: {
    summary: 'The local server {name} at {url} wants a key.',
    next: 'Set {variable} to the key that the server was started with; its models are listed then.',
  },
  PROVIDERS_LOCAL_SERVER: {
    summary: 'The local server {name} at {url} answered, but its list of models cannot be used: {reason}.',
    next: 'Check that the server is {name}, or point {variable} at the right address.',
  },
});
