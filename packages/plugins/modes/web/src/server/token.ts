/** The token that opens the control room: kept for the user alone, compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText, replaceFile } from '@tenon/state-files';
import { errors } from '../errors.ts';

const BYTES = 32;
const FORM = /^[\w-]{43}$/;
const fileIn = (folder: string) => join(folder, 'web-secret');

/** The token of this user; made when there is none, or when a new one is wanted. */
export async function takeToken(folder: string, isNew: boolean): Promise<string> {
  const path = fileIn(folder);
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

/** The token of this user, if there is one. */
export async function readToken(folder: string): Promise<string | undefined> {
  const found = (await readText(join(folder, 'web-secret')))?.trim();
  return found !== undefined && FORM.test(found) ? found : undefined;
}

/** The token as it is in its file now: `tenon web --new-token` reaches a server that runs. Empty, which nothing is the same as, when the file is gone. */
export function tokenIn(folder: string): () => string {
  const path = fileIn(folder);
  let known = { mark: '', token: '' };
  return () => {
    try {
      const { mtimeMs, ino, mode, size } = lstatSync(path);
      const mark = `${ino}-${mtimeMs}-${size}-${mode}`;
      if (mark === known.mark) return known.token;
      const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
      const text = isOpen ? '' : readFileSync(path, 'utf8').trim();
      known = { mark, token: FORM.test(text) ? text : '' };
      return known.token;
    } catch {
      return ''; // Without its file nobody gets in.
    }
  };
}

/** Whether two secrets are the same. How long it takes says nothing about where they differ. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
