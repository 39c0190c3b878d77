/** A folder that nobody but the user can enter. That is what proves that two processes belong to the same user. */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';

/** Makes the folder, and refuses one that is somebody else's, a link, or open to others. */
export function privateFolder(folder: string): void {
  const refuse = (reason: string, cause?: unknown) => errors.create('IRC_FOLDER', { folder, reason }, cause);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (fault) {
    throw refuse(messageOf(fault), fault);
  }
  const look = lstatSync(folder);
  if (!look.isDirectory()) throw refuse('it is not a folder');
  const own = process.getuid?.();
  if (own !== undefined && look.uid !== own) throw refuse('it belongs to another user');
  if ((look.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Whether only the user can read and write a file. */
export function isPrivateFile({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  const own = process.getuid?.();
  return own === undefined || (uid === own && (mode & 0o077) === 0);
}
