import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@tenon/kernel';
import { type MachineSource, machineSource } from './aws-machine.ts';
import { errors } from './errors.ts';
import { environmentFetch } from './proxy.ts';

/** What signs a request to AWS. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Region and credentials from the environment, a profile with keys, the machine, or (for SSO and roles) the AWS command line. */
export async function awsCredentials(
  env: Environment,
  bearer: string | undefined,
  fetch: typeof globalThis.fetch = environmentFetch,
): Promise<{ region: string; credentials: AwsKeys | undefined }> {
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  if (bearer !== undefined) return { region, credentials: undefined };
  if (env['AWS_BEDROCK_SKIP_AUTH'] === '1')
    return { region, credentials: { accessKeyId: 'none', secretAccessKey: 'none' } };
  const direct = keysIn({
    aws_access_key_id: env['AWS_ACCESS_KEY_ID'],
    aws_secret_access_key: env['AWS_SECRET_ACCESS_KEY'],
    aws_session_token: env['AWS_SESSION_TOKEN'],
  });
  if (direct) return { region, credentials: direct };
  const profile = env['AWS_PROFILE'];
  const file = env['AWS_SHARED_CREDENTIALS_FILE'] ?? join(homedir(), '.aws', 'credentials');
  const stored = keysIn(await readProfile(file, profile ?? 'default'));
  if (stored) return { region, credentials: stored };
  const source = profile === undefined ? machineSource({ env, region, fetch }) : undefined;
  return { region, credentials: await (source ? given(source) : exported(profile)) };
}

function keysIn(fields: Readonly<Record<string, string | undefined>>): AwsKeys | undefined {
  const {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    aws_session_token: sessionToken,
  } = fields;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

async function readProfile(file: string, profile: string): Promise<Record<string, string>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw fault;
  }
  const fields: Record<string, string> = {};
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*(?:profile\s+)?([^\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) section = header;
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === profile && key !== undefined && value !== undefined) fields[key] = value;
  }
  return fields;
}

/** The AWS command line knows SSO, roles and containers; it gives keys that are ready to use. */
async function exported(profile: string | undefined): Promise<AwsKeys> {
  try {
    // A profile that is named has to exist; without a name the command line also looks elsewhere.
    const named = profile === undefined ? [] : ['--profile', profile];
    const words = ['configure', 'export-credentials', ...named, '--format', 'process'];
    const { stdout } = await promisify(execFile)('aws', words, { timeout: 15_000 });
    const { AccessKeyId, SecretAccessKey, SessionToken } = JSON.parse(stdout) as Record<string, string>;
    if (AccessKeyId && SecretAccessKey)
      return {
        accessKeyId: AccessKeyId,
        secretAccessKey: SecretAccessKey,
        ...(SessionToken && { sessionToken: SessionToken }),
      };
    throw new Error('it printed no keys');
  } catch (fault) {
    throw missing(`for profile "${profile ?? 'default'}"`, fault);
  }
}

async function given(source: MachineSource): Promise<AwsKeys> {
  try {
    return await source.keys();
  } catch (fault) {
    throw missing(`from ${source.variable}`, fault);
  }
}

function missing(from: string, fault: unknown): Error {
  return errors.create('PROVIDERS_AWS_CREDENTIALS', { from, reason: messageOf(fault).split('\n')[0] }, fault);
}
