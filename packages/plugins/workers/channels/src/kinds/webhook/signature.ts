/** Signs requests, and checks them: HMAC-SHA256 over the time and the body. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header with time and signature: `t=1700000000,v1=…`. */
export const SIGNATURE_HEADER = 'tenon-signature';
/** How far the sender's clock may be off, and how old a request may be. */
export const TOLERANCE_SECONDS = 300;

/** The header for a body. */
export function signatureOf(secret: string, body: string, seconds = Math.floor(Date.now() / 1000)): string {
  return `t=${seconds},v1=${digest(secret, seconds, body)}`;
}

/** What is wrong with a signature; undefined when it is right. */
export function signatureProblem(
  secret: string,
  body: string,
  header: string | undefined,
  now = Math.floor(Date.now() / 1000),
): string | undefined {
  const [, seconds = '', given = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (given === '') return 'there is no signature';
  const wanted = digest(secret, Number(seconds), body);
  if (!timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(wanted, 'hex'))) return 'the signature is wrong';
  return Math.abs(now - Number(seconds)) > TOLERANCE_SECONDS
    ? 'the signature is too old, or a clock is wrong'
    : undefined;
}

function digest(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
