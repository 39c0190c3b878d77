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

const codeOf = (fault: unknown) => String((fault as { code?: unknown } | null)?.code ?? '');

/** Whether the connection is gone. */
export function isLostConnection(fault: unknown): boolean {
  return CONNECTION.has(codeOf(fault)) || LOST.test(messageOf(fault));
}

/** Whether trying again may help. */
export function isPassing(fault: unknown): boolean {
  return isLostConnection(fault) || CONFLICT.has(codeOf(fault));
}
