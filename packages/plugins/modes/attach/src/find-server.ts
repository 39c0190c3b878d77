/** Finds the control room: the one that the user names, or one that runs on this machine. */
import { isIP } from 'node:net';
import { messageOf } from '@tenon/kernel';
import { ApiClient, ApiFault, readToken, runningServers } from '@tenon/web/api';
import { errors } from './errors.ts';

/** A control room that answers. */
export interface Server {
  readonly url: string;
  readonly client: ApiClient;
}

/** What tells where it may be. */
export interface ServerHints {
  /** `--url`. */
  readonly url: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly state: string;
}

/** The control room; an error that says what to do when there is none. */
export async function findServer({ url, env, state }: ServerHints): Promise<Server> {
  if (url !== undefined) {
    const token = env['TENON_WEB_TOKEN'] ?? '';
    const base = baseOf(url);
    if (token === '') throw errors.create('ATTACH_NO_TOKEN', { url: base });
    return answering(base, token);
  }
  const servers = await runningServers(state);
  const token = await readToken(state);
  const [first] = servers;
  if (!first || token === undefined) throw errors.create('ATTACH_NO_SERVER');
  return answering(first.origin, token);
}

/** The token is sent in every request: over a network only where nobody can read it. */
function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === 'http:' && isLoopback(url.hostname);
  if (!url || !(isPlain || url.protocol === 'https:') || url.username !== '' || url.password !== '')
    throw errors.create('ATTACH_URL', { url: text.replace(/#.*/, '') });
  return url.origin;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

async function answering(url: string, token: string): Promise<Server> {
  const client = new ApiClient({ base: url, token });
  try {
    await client.call('overview', {});
  } catch (fault) {
    throw serverFault(fault, url);
  }
  return { url, client };
}

/** What a call to the server ran into, as an error that says what to do. */
export function serverFault(fault: unknown, url: string): unknown {
  if (fault instanceof ApiFault && (fault.status === 401 || fault.status === 403))
    return errors.create('ATTACH_REFUSED', { url }, fault);
  if (fault instanceof ApiFault) return errors.create('ATTACH_FAILED', { reason: fault.message }, fault);
  // What `fetch` throws when there is no answer.
  if (fault instanceof TypeError && fault.cause !== undefined)
    return errors.create('ATTACH_UNREACHABLE', { url, reason: reasonOf(fault) }, fault);
  return fault;
}

/** `fetch` hides why it failed. */
function reasonOf(fault: unknown): string {
  const { cause } = fault as { readonly cause?: unknown };
  return messageOf(cause ?? fault).replace(/\.$/, '');
}
