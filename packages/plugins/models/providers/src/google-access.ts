/** Tokens of Google Cloud, as its own programs get them: from a service account, from a login with gcloud, from the machine. */
import { createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isNearHost } from './near-hosts.ts';
import { type Lease, Leases } from './leases.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a token is fetched with. */
export interface GoogleParts {
  readonly env: Environment;
  readonly fetch: typeof globalThis.fetch;
}

/** The file of credentials, as far as it is understood. */
interface CredentialsFile {
  readonly type?: string;
  readonly client_email?: string;
  readonly private_key?: string;
  readonly private_key_id?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly refresh_token?: string;
  readonly token_uri?: string;
}

const TOKEN_ADDRESS = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const PATIENCE_MS = 10_000;
/** Elsewhere nobody answers, and that takes as long as one waits. */
const MACHINE_PATIENCE_MS = 3_000;

const leases = new Leases<string>();

/** A token for Google Cloud that still holds for a while. */
export async function googleToken(parts: GoogleParts): Promise<string> {
  const { env } = parts;
  const named = env['GOOGLE_APPLICATION_CREDENTIALS'];
  const file = named || join(env['CLOUDSDK_CONFIG'] || defaultFolder(env), 'application_default_credentials.json');
  return leases.get(file, async () => {
    const text = await readOptional(file, named !== undefined && named !== '');
    return text === undefined ? ofMachine(parts) : ofFile(parts, file, text);
  });
}

function defaultFolder(env: Environment): string {
  const { APPDATA: roaming } = env;
  return roaming === undefined ? join(homedir(), '.config', 'gcloud') : join(roaming, 'gcloud');
}

async function readOptional(file: string, isRequired: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (fault) {
    if (!isRequired && (fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fault;
  }
}

async function ofFile({ fetch }: GoogleParts, file: string, text: string): Promise<Lease<string>> {
  const found = JSON.parse(text) as CredentialsFile;
  const { type, token_uri: address = TOKEN_ADDRESS } = found;
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'https:' && !isNearHost(hostname)) throw new Error(`${file} names ${address}, which is not https`);
  if (type === 'service_account') return ask(fetch, address, signedRequest(found, address));
  if (type === 'authorized_user') {
    const { client_id = '', client_secret = '', refresh_token = '' } = found;
    return ask(fetch, address, { grant_type: 'refresh_token', client_id, client_secret, refresh_token });
  }
  throw new Error(`${file} is of the type "${type}"; Tenon knows service_account and authorized_user`);
}

function signedRequest(found: CredentialsFile, address: string): Record<string, string> {
  const { client_email: issuer, private_key: key, private_key_id: kid } = found;
  if (!issuer || !key) throw new Error('the service account has no client_email or no private_key');
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = { alg: 'RS256', typ: 'JWT', ...(kid && { kid }) };
  const claims = { iss: issuer, scope: SCOPE, aud: address, iat: now, exp: now + 3600 };
  const unsigned = `${part(header)}.${part(claims)}`;
  const signature = createSign('RSA-SHA256').update(unsigned).sign(key, 'base64url');
  return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: `${unsigned}.${signature}` };
}

async function ask(
  fetch: GoogleParts['fetch'],
  address: string,
  fields: Record<string, string>,
): Promise<Lease<string>> {
  const init = { method: 'POST', body: new URLSearchParams(fields), redirect: 'error' as const };
  return leaseIn(address, await fetch(address, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) }));
}

/** The service account of a machine of Google's. */
async function ofMachine({ env, fetch }: GoogleParts): Promise<Lease<string>> {
  const host = env['GCE_METADATA_HOST'] || 'metadata.google.internal';
  const address = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  const signal = AbortSignal.timeout(MACHINE_PATIENCE_MS);
  const answer = await fetch(address, { headers: { 'metadata-flavor': 'Google' }, redirect: 'error', signal }).catch(
    (fault: unknown) => {
      throw new Error('there is no file of credentials, and this is no machine of Google Cloud', { cause: fault });
    },
  );
  return leaseIn(address, answer);
}

async function leaseIn(address: string, response: Response): Promise<Lease<string>> {
  const text = await response.text();
  if (!response.ok) {
    const [, said] = /"error_description"\s*:\s*"([^"]+)"/.exec(text) ?? /"error"\s*:\s*"([^"]+)"/.exec(text) ?? [];
    throw new Error(
      `${new URL(address).host} answered ${response.status}${said === undefined ? '' : `: ${said.replace(/\.$/, '')}`}`,
    );
  }
  const { access_token: value, expires_in: seconds = 0 } = JSON.parse(text) as {
    access_token?: string;
    expires_in?: number;
  };
  if (!value) throw new Error(`the answer of ${new URL(address).host} has no token`);
  return { value, until: Date.now() + seconds * 1000 };
}
