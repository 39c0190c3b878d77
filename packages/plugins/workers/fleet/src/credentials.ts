/** Where the fleet's database is, and the key for secrets that travel. Only the user can read it; no screen shows the password. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folders } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { replaceFile } from '@tenon/state-files';
import { errors } from './errors.ts';

/** What a machine of a fleet knows. */
export interface FleetCredentials {
  readonly url: string;
  /** 32 bytes in base64, the same on every machine that may have secrets. */
  readonly key?: string;
}

type Place = Pick<Folders, 'data'>;

/** The file; its name says what it holds, so that tools leave it alone. */
export const credentialsFile = ({ data }: Place) => join(data, 'fleet-credentials.json');

/** Whether this machine knows a fleet. Cheap: nothing is read. */
export function isSetUp(place: Place): boolean {
  return existsSync(credentialsFile(place));
}

/** What this machine knows. */
export async function readCredentials(place: Place): Promise<FleetCredentials> {
  const path = credentialsFile(place);
  if (!isSetUp(place)) throw errors.create('FLEET_NOT_SET_UP', {});
  try {
    const { url, key } = JSON.parse(await readFile(path, 'utf8')) as Partial<FleetCredentials>;
    if (typeof url !== 'string') throw new TypeError('the address is missing');
    return { url, ...(typeof key === 'string' && { key }) };
  } catch (fault) {
    throw errors.create('FLEET_CREDENTIALS', { path, reason: messageOf(fault) }, fault);
  }
}

/** A key for a new fleet. */
export const newKey = () => randomBytes(32).toString('base64');

/** What this machine knew until now. A file that cannot be read is as good as none: the person has just given all that it held, but for the key. */
export async function credentialsBefore(place: Place): Promise<FleetCredentials | undefined> {
  return isSetUp(place) ? readCredentials(place).catch(() => undefined) : undefined;
}

/** Writes it down. A key that would be lost by this is kept in another file, whose path is returned. */
export async function keepCredentials(place: Place, credentials: FleetCredentials): Promise<string | undefined> {
  const before = await credentialsBefore(place);
  const previous = join(place.data, 'fleet-credentials.previous.json');
  const isLost = before?.key !== undefined && before.key !== credentials.key;
  if (isLost) await write(previous, before);
  await write(credentialsFile(place), credentials);
  return isLost ? previous : undefined;
}

async function write(path: string, { url, key }: FleetCredentials): Promise<void> {
  const text = JSON.stringify({ url, ...(key !== undefined && { key }) }, null, 2);
  await replaceFile(path, `${text}\n`, { mode: 0o600 });
}

/** The address for people: without user names' passwords and without parameters, which may hold one, too. */
export function shownAddress(url: string): string {
  try {
    const { protocol, username, host, pathname, searchParams } = new URL(url);
    const socket = searchParams.get('host');
    return `${protocol}//${username === '' ? '' : `${username}@`}${host === '' ? (socket ?? '') : host}${pathname}`;
  } catch {
    return 'an address that cannot be shown'; // It may hold a password anywhere.
  }
}

/** Checks an address. The error does not repeat it. */
export function checkAddress(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (fault) {
    throw errors.create('FLEET_URL', { reason: 'it is no URL' }, fault);
  }
  if (!['postgres:', 'postgresql:'].includes(parsed.protocol))
    throw errors.create('FLEET_URL', { reason: `it begins with ${parsed.protocol}` });
  if (parsed.pathname.length < 2) throw errors.create('FLEET_URL', { reason: 'it names no database' });
  return url;
}
