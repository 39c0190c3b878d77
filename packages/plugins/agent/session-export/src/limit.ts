import type { CommandCall } from '@tenon/command-line/api';
import { errors } from './errors.ts';

/** How many lines `--limit` allows. */
export function limitIn(flags: CommandCall['flags']): number {
  const value = typeof flags['limit'] === 'string' ? flags['limit'] : '20';
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1) throw errors.create('SESSION_EXPORT_LIMIT', { limit: value });
  return limit;
}
