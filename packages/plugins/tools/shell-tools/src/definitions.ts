/** What commands have defined in a shell: functions and aliases, for those who judge the next command. */
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { ShellDefinitions } from '@tenon/tools/api';

const MAX_BYTES = 1024 * 1024;
/** Functions of the machinery. */
const OWN = /^__tenon/;

/**
 * Reads what `noteScript` has written, without what the user's own start files define. Programs of the sandbox can write the
 * file, so nothing but a small plain file is read; undefined when it is something else.
 */
export async function readDefinitions(
  file: string,
  startFile: string | undefined,
): Promise<ShellDefinitions | undefined> {
  const text = await readSmallFile(file);
  if (text === undefined) return undefined;
  const usual = startFile === undefined ? '' : await readFile(startFile, 'utf8');
  const parts = text.split('\0');
  const functions: Record<string, string> = {};
  const aliases: Record<string, string> = {};
  let at = 0;
  for (; (parts[at] ?? '') !== ''; at += 2) {
    const [name = '', definition = ''] = parts.slice(at, at + 2);
    if (!OWN.test(name) && !usual.includes(definition)) functions[name] = definition;
  }
  for (at += 1; (parts[at] ?? '') !== ''; at += 2) {
    const [name = '', value = ''] = parts.slice(at, at + 2);
    if (!usual.includes(`alias ${name}=${quoted(value)}\n`) && !usual.includes(`alias -- ${name}=${quoted(value)}\n`))
      aliases[name] = value;
  }
  return { functions, aliases };
}

/** As `alias -p` quotes it. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

async function readSmallFile(file: string): Promise<string | undefined> {
  // A link or a pipe in its place must not be followed or waited for.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= MAX_BYTES ? await handle.readFile('utf8') : undefined;
  } finally {
    await handle.close();
  }
}
