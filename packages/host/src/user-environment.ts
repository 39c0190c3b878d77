import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';
import type { Folders } from './folders.ts';

/** Variables that say where Tenon's folders are: the file stands in one of them, so that it comes too late. */
const TOO_LATE: ReadonlySet<string> = new Set([
  'HOME',
  'TENON_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
]);

/**
 * Adds what the user's own `.env` (in the config folder) says to the environment; what is set already stays. A project's `.env` is
 * never read: whoever wrote the project could send the user's keys and conversations to another address with it.
 */
export function addUserEnvironment(
  { config }: Pick<Folders, 'config'>,
  environment: Record<string, string | undefined>,
): void {
  const file = join(config, '.env');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT' || (fault as NodeJS.ErrnoException).code === 'ENOTDIR')
      return;
    throw errors.create('HOST_ENV_FILE', { file, reason: messageOf(fault) }, fault);
  }
  for (const [name, value] of Object.entries(parseEnv(text))) if (!TOO_LATE.has(name)) environment[name] ??= value;
}
