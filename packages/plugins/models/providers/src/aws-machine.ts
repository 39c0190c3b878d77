/** Keys that AWS gives to what runs on its machines: pods and functions with a web identity, containers of ECS and EKS. */
import { readFile } from 'node:fs/promises';
import type { AwsKeys, Environment } from './aws-credentials.ts';
import { type Lease, Leases } from './leases.ts';
import { isNearHost } from './near-hosts.ts';

/** What the keys are fetched with. */
export interface MachineParts {
  readonly env: Environment;
  readonly region: string;
  readonly fetch: typeof globalThis.fetch;
}

const CONTAINER_AGENT = 'http://169.254.170.2';
/** Where keys may come from without TLS beside this machine: the agents of ECS and EKS. */
const AGENTS: ReadonlySet<string> = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]']);
const PATIENCE_MS = 10_000;

const leases = new Leases<AwsKeys>();

/** A source of keys that the environment names, with the variable that names it. */
export interface MachineSource {
  readonly variable: string;
  keys(): Promise<AwsKeys>;
}

/** The source that the environment names; nothing where it names none. */
export function machineSource(parts: MachineParts): MachineSource | undefined {
  const { env } = parts;
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role } = env;
  const {
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: address = path && `${CONTAINER_AGENT}${path}`,
  } = env;
  if (file && role)
    return {
      variable: 'AWS_WEB_IDENTITY_TOKEN_FILE',
      keys: () => leases.get(`${role} ${file}`, () => assumeRole(parts, { file, role })),
    };
  if (!address) return undefined;
  return {
    variable: path ? 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI' : 'AWS_CONTAINER_CREDENTIALS_FULL_URI',
    keys: () => leases.get(address, () => askContainer(parts, address)),
  };
}

/** Exchanges the token of the machine for keys of a role. */
async function assumeRole(
  { env, region, fetch }: MachineParts,
  { file, role }: { readonly file: string; readonly role: string },
): Promise<Lease<AwsKeys>> {
  const suffix = region.startsWith('cn-') ? '.cn' : '';
  const address =
    env['AWS_ENDPOINT_URL_STS'] ?? env['AWS_ENDPOINT_URL'] ?? `https://sts.${region}.amazonaws.com${suffix}`;
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] ?? 'tenon',
    WebIdentityToken: (await readFile(file, 'utf8')).trim(),
  });
  const text = await answerOf(fetch, address, { method: 'POST', body });
  const field = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1];
  return leaseOf(address, field('AccessKeyId'), field('SecretAccessKey'), field('SessionToken'), field('Expiration'));
}

async function askContainer({ env, fetch }: MachineParts, address: string): Promise<Lease<AwsKeys>> {
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'https:' && !AGENTS.has(hostname) && !isNearHost(hostname))
    throw new Error(`${address} is neither of this machine nor https`);
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file ? (await readFile(file, 'utf8')).trim() : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  const text = await answerOf(fetch, address, token ? { headers: { authorization: token } } : {});
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = JSON.parse(text) as Record<string, string | undefined>;
  return leaseOf(address, AccessKeyId, SecretAccessKey, Token, Expiration);
}

async function answerOf(fetch: MachineParts['fetch'], address: string, init: RequestInit): Promise<string> {
  // A redirect would send the token elsewhere.
  const response = await fetch(address, { ...init, redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) });
  const text = await response.text();
  if (response.ok) return text;
  const said = /<Message>([^<]+)</.exec(text)?.[1] ?? /"message"\s*:\s*"([^"]+)"/i.exec(text)?.[1];
  throw new Error(`${address} answered ${response.status}${said === undefined ? '' : `: ${said}`}`);
}

function leaseOf(
  address: string,
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
  sessionToken: string | undefined,
  expiration: string | undefined,
): Lease<AwsKeys> {
  if (!accessKeyId || !secretAccessKey) throw new Error(`the answer of ${address} has no keys`);
  const until = Date.parse(expiration ?? '');
  return {
    value: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    // Keys without an end are asked for each time.
    until: Number.isNaN(until) ? 0 : until,
  };
}
