/** What is special about OpenAI's models on Azure: deployments have names of their own, and addresses a version. */

type Environment = Readonly<Record<string, string | undefined>>;

/** The deployment of a model: AZURE_OPENAI_DEPLOYMENT_NAME_MAP says `model=deployment,…`; else it is called like the model. */
export function azureDeployment(model: string, env: Environment): string {
  for (const pair of (env['AZURE_OPENAI_DEPLOYMENT_NAME_MAP'] ?? '').split(',')) {
    const [name = '', deployment = ''] = pair.split('=').map((part) => part.trim());
    if (name === model && deployment !== '') return deployment;
  }
  return model;
}

/** The address with the version of the API, unless that is `v1`, which stands in the address. */
export function azureUrl(address: string, env: Environment): string {
  const version = env['AZURE_OPENAI_API_VERSION']?.trim();
  if (!version || version === 'v1') return address;
  const url = new URL(address);
  url.searchParams.set('api-version', version);
  return url.href;
}
