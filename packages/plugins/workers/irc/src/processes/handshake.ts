/**
 * Both ends prove that they can read the record of the process: its secret itself never crosses the socket. Node does not tell who is at
 * the other end (SO_PEERCRED), so that the rights of the file have to.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Lines } from './lines.ts';

const TIMEOUT_MS = 5_000;

/** The end that called. Fails when the other end does not know the secret. */
export async function introduce(lines: Lines, secret: string): Promise<void> {
  const theirs = nonceIn(await lines.next(TIMEOUT_MS));
  const own = newNonce();
  lines.send({ nonce: own, proof: proof(secret, 'caller', theirs, own) });
  const { proof: given } = await lines.next(TIMEOUT_MS);
  if (!isSame(given, proof(secret, 'called', own, theirs)))
    throw new Error('it does not know the secret of its record');
}

/** The end that was called. Fails when the caller does not know the secret. */
export async function receive(lines: Lines, secret: string): Promise<void> {
  const own = newNonce();
  lines.send({ nonce: own });
  const answer = await lines.next(TIMEOUT_MS);
  const theirs = nonceIn(answer);
  if (!isSame(answer['proof'], proof(secret, 'caller', own, theirs)))
    throw new Error('the caller does not know the secret');
  lines.send({ proof: proof(secret, 'called', theirs, own) });
}

function newNonce(): string {
  return randomBytes(16).toString('hex');
}

function nonceIn({ nonce }: Readonly<Record<string, unknown>>): string {
  if (typeof nonce !== 'string' || !/^[0-9a-f]{32}$/.test(nonce)) throw new Error('it speaks another language');
  return nonce;
}

function proof(secret: string, role: 'caller' | 'called', first: string, second: string): string {
  return createHmac('sha256', Buffer.from(secret, 'hex'))
    .update(`tenon-irc-1 ${role} ${first} ${second}`)
    .digest('hex');
}

function isSame(given: unknown, wanted: string): boolean {
  if (typeof given !== 'string' || given.length !== wanted.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}
