/** The token that opens the control room: kept for the user alone, compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readText, replaceFile } from '@tenon/state-files';
import { errors } from '../errors.ts';

const BYTES = 32;
const FORM = /^[\w-]{43}$/;

/** The token of this user; made when there is none, or when a new one is wanted. */
export async function takeToken(folder: string, isNew: boolean): Promise<string> {
  const path = join(folder, 'web-secret');
  const found = isNew ? undefined : (await readText(path))?.trim();
  if (found !== undefined && FORM.test(found)) {
    if (process.platform !== 'win32' && (lstatSync(path).mode & 0o077) !== 0)
      throw errors.create('WEB_TOKEN_FILE', { path });
    return found;
  }
  const token = randomBytes(BYTES).toString('base64url');
  await replaceFile(path, `${token}\n`, { mode: 0o600 });
  return token;
}

/** Whether two secrets are the same. How long it takes says nothing about where they differ. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
