/** What the environment says about an endpoint: its address and its headers. */
import type { Endpoint } from './api.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** True for a variable that switches something on. */
export function isOn(value: string | undefined): boolean {
  return /^(?:1|true|yes|on)$/i.test(value?.trim() ?? '');
}

/** The address and the headers that the environment gives to an endpoint. */
export function fromEnvironment(endpoint: Endpoint, env: Environment): Pick<Endpoint, 'baseUrl' | 'headers'> {
  const baseUrl = address(endpoint, env);
  const headers = headersIn(endpoint.headersEnv === undefined ? undefined : env[endpoint.headersEnv]);
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(headers && { headers: { ...endpoint.headers, ...headers } }),
  };
}

/** Some programs expect the address with the API's version at its end and some without. */
function address({ baseUrl, baseUrlEnv = [], baseUrlFrom = {} }: Endpoint, env: Environment): string | undefined {
  const named = [baseUrlEnv]
    .flat()
    .map((name) => env[name])
    .find(Boolean)
    ?.replace(/\/+$/, '');
  if (named) {
    const version = /\/v\d+(?:beta)?$/.exec(baseUrl ?? '')?.[0] ?? '';
    return /\/v\d+(?:beta)?(?:\/|$)/.test(named) ? named : named + version;
  }
  for (const [name, pattern] of Object.entries(baseUrlFrom)) {
    const part = env[name]?.trim();
    // It becomes a part of a host name: nothing else may stand there.
    if (part && /^[a-z\d][a-z\d-]*$/i.test(part)) return pattern.replace('{}', part);
  }
  return undefined;
}

function headersIn(text: string | undefined): Record<string, string> | undefined {
  const pairs = (text ?? '')
    .split(/\n|,(?=\s*[\w-]+\s*:)/)
    .map((line) => /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(line))
    .flatMap((found) => (found?.[1] === undefined ? [] : [[found[1].toLowerCase(), found[2] ?? ''] as const]));
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
