/**
 * The key that opens the credential file. What it protects:
 * - `keychain`: the key is in the operating system's keychain; a copy of your files alone opens nothing.
 * - `file`: the key lies in a file of its own (0600), apart from the credentials. A backup, sync or screen share that has
 *   only one of the two shows nothing. Whoever can read all your files, or runs programs as you, can read the credentials.
 */
import { randomBytes } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createFile, readText } from '@tenon/state-files';
import { readFromKeychain, writeToKeychain } from './keychain-process.ts';

/** Where a master key can be kept. */
export interface MasterKeySource {
  readonly kind: 'keychain' | 'file';
  /** The key, if it is there. Rejects when the store cannot be reached. */
  read(): Promise<Buffer | undefined>;
  /** Makes and keeps a new key; gives the one that is there if another process was faster. */
  create(): Promise<Buffer>;
  /** Removes the key, when the credentials have one in another store. */
  forget?(): Promise<void>;
}

const LENGTH = 32;

/** A key in a file that only its owner can read. */
export function keyFile(file: string): MasterKeySource {
  const read = async (): Promise<Buffer | undefined> => {
    const text = await readText(file);
    return text === undefined ? undefined : decode(text);
  };
  return {
    kind: 'file',
    read,
    async create() {
      createFile(file, newKey());
      await chmod(file, 0o600);
      const key = await read();
      if (!key) throw new Error('the key vanished while it was made');
      return key;
    },
    forget: () => rm(file, { force: true }),
  };
}

/** Long enough to type a password into the dialog that a locked keychain shows. */
const KEYCHAIN_DEADLINE_MS = 30_000;

/** A key in the operating system's keychain. */
export function keychain(deadlineMs: number = KEYCHAIN_DEADLINE_MS): MasterKeySource {
  const entry = { service: 'tenon', account: 'credentials', deadlineMs };
  const read = async (): Promise<Buffer | undefined> => {
    const text = await readFromKeychain(entry);
    return text === undefined ? undefined : decode(text);
  };
  return {
    kind: 'keychain',
    read,
    async create() {
      const present = await read();
      if (present) return present;
      const stored = await writeToKeychain(entry, newKey());
      if (stored === undefined) throw new Error('the keychain did not keep the key');
      return decode(stored);
    },
  };
}

function newKey(): string {
  return randomBytes(LENGTH).toString('base64');
}

function decode(text: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== LENGTH) throw new Error(`the key has ${key.length} bytes instead of ${LENGTH}`);
  return key;
}
