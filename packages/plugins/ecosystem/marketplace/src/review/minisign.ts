/** Checks minisign signatures. The format is small and fixed, so it is read here, and Node's crypto does the rest. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { errors } from '../errors.ts';

/** A public key. */
export interface MinisignKey {
  /** As it is written in a .pub file: `RW…`. */
  readonly text: string;
  /** Eight bytes in hex, the way minisign shows them. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The fixed start of an Ed25519 key in SPKI form. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** Reads a key: the line that starts with `RW`, or a whole .pub file. */
export function parseKey(text: string): MinisignKey {
  const line = text
    .split(/\r?\n/)
    .map((row) => row.trim())
    .filter((row) => row !== '' && !row.startsWith('untrusted comment:'))[0];
  const raw = Buffer.from(line ?? '', 'base64');
  const reason =
    raw.length !== 42
      ? 'it has not the right length'
      : raw.toString('latin1', 0, 2) === 'Ed'
        ? undefined
        : 'it is of another kind';
  if (reason !== undefined || line === undefined)
    throw errors.create('MARKETPLACE_KEY_INVALID', {
      key: (line ?? '').slice(0, 100),
      reason: reason ?? 'it is empty',
    });
  return { text: line, id: idOf(raw.subarray(2, 10)), bytes: raw.subarray(10) };
}

function idOf(bytes: Buffer): string {
  return Buffer.from(bytes).reverse().toString('hex').toUpperCase();
}

/** What is wrong with a signature of `message`; nothing when it is good. */
export function signatureProblem(message: Uint8Array, signature: string, key: MinisignKey): string | undefined {
  const [comment = '', line = '', trusted = '', global = ''] = signature.split(/\r?\n/);
  const raw = Buffer.from(line, 'base64');
  const globalRaw = Buffer.from(global, 'base64');
  if (!comment.startsWith('untrusted comment:') || raw.length !== 74 || globalRaw.length !== 64)
    return 'it is not a minisign signature';
  const id = idOf(raw.subarray(2, 10));
  if (id !== key.id) return `it was made with the key ${id}, not with ${key.id}`;
  const kind = raw.toString('latin1', 0, 2);
  if (kind !== 'ED' && kind !== 'Ed') return 'it is of an unknown kind';
  const signed = kind === 'ED' ? createHash('blake2b512').update(message).digest() : message;
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, key.bytes]), format: 'der', type: 'spki' });
  if (!verify(null, signed, publicKey, raw.subarray(10))) return 'it does not fit what it signs';
  const about = trusted.replace(/^trusted comment: /, '');
  const covered = Buffer.concat([raw.subarray(10), Buffer.from(about)]);
  if (!trusted.startsWith('trusted comment: ') || !verify(null, covered, publicKey, globalRaw))
    return 'its trusted comment was changed';
  return undefined;
}
