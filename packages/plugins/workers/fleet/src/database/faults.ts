/** Which failures of PostgreSQL pass by themselves. */
import { messageOf } from '@tenon/kernel';

/** The server ends or begins, or there is no way to it now. */
const CONNECTION = new Set([
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);
/** Two transactions stood in each other's way; one of them begins anew. */
const CONFLICT = new Set(['40001', '40P01']);
const LOST =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|connection error|timeout expired/i;

/** What helps, by code of PostgreSQL or of the connection, or by words where there is none. */
const HELP: readonly (readonly [RegExp, string])[] = [
  [
    /^28P01|password authentication failed|client password must be/,
    'Check the user and the password in the address: postgresql://USER:PASSWORD@HOST/DATABASE. Characters such as @ and / in a password are written as %40 and %2F.',
  ],
  [/^3D000/, 'Make the database first (createdb NAME), or correct its name in the address.'],
  [/^28000/, 'Check the user in the address, and that pg_hba.conf of the server lets it in from this machine.'],
  [
    /^42501|permission denied/,
    'Use a user that may create schemas in this database, or let its owner run `tenon fleet init`.',
  ],
  [
    /does not support SSL/,
    'Turn on TLS in the server, or leave sslmode out of the address on a network that you trust.',
  ],
  [
    /certificate/i,
    'Check the certificate of the server; sslrootcert=FILE in the address names the authority that signed it.',
  ],
  [/^(?:ENOTFOUND|EAI_AGAIN)/, 'Check the name of the host in the address.'],
];
const REACH = 'Check that the server runs and that this machine reaches it, then try again.';

/** What a person can do about a failure. */
export function nextStep(fault: unknown): string {
  const text = `${codeOf(fault)} ${messageOf(fault)}`.trim();
  return HELP.find(([pattern]) => pattern.test(text))?.[1] ?? REACH;
}

const codeOf = (fault: unknown) => String((fault as { code?: unknown } | null)?.code ?? '');

/** Whether the connection is gone. */
export function isLostConnection(fault: unknown): boolean {
  return CONNECTION.has(codeOf(fault)) || LOST.test(messageOf(fault));
}

/** Whether trying again may help. */
export function isPassing(fault: unknown): boolean {
  return isLostConnection(fault) || CONFLICT.has(codeOf(fault));
}
