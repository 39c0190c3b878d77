import type { CommandIo } from '@tenon/command-line/api';
import { errors } from './errors.ts';

/** Whether the person wants it; without one, only --yes does. */
export async function confirm(io: CommandIo, yes: boolean, question: string): Promise<boolean> {
  if (yes) return true;
  if (!io.interactive || io.ask === undefined) throw errors.create('INSTALLATION_CONFIRM');
  return /^y(?:es)?$/i.test((await io.ask(`${question} [y/N] `)).trim());
}
