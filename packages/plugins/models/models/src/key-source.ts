import type { KeyedEndpoint } from './auth/auth-store.ts';

/** Where a key can come from beside a login, as the end of an advice: ", or set NAME". Empty when there is no other place. */
export function orSetKey(endpoint: KeyedEndpoint | undefined, provider: string, modelsFile: string): string {
  const { apiKey, env = [] } = endpoint ?? {};
  if (apiKey?.startsWith('$')) return `, or set ${apiKey.slice(1)}`;
  if (apiKey !== undefined) return `, or correct \`apiKey\` of ${provider} in ${modelsFile}`;
  // Some providers also take tokens of their own programs; most people have an API key.
  const variable = env.find((name) => name.endsWith('API_KEY')) ?? env[0];
  return variable === undefined ? '' : `, or set ${variable}`;
}
