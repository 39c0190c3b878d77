/** Remembers which session a terminal used last, so that `--continue` in one window does not take over another's. */
import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { replaceFile } from '@tenon/state-files';

/** What identifies this terminal, if there is one. */
export function terminalId(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named =
    env['TMUX_PANE'] ?? env['WEZTERM_PANE'] ?? env['KITTY_WINDOW_ID'] ?? env['TERM_SESSION_ID'] ?? env['WT_SESSION'];
  const tty = named ?? ttyName();
  return tty === undefined ? undefined : createHash('sha256').update(tty).digest('hex').slice(0, 16);
}

function ttyName(): string | undefined {
  if (!isatty(0)) return undefined;
  try {
    return readlinkSync('/proc/self/fd/0');
  } catch {
    return undefined; // Not on Linux: then the newest session of the folder is continued.
  }
}

/** Notes the session of this terminal. */
export async function leaveBreadcrumb(folder: string, terminal: string, cwd: string, file: string): Promise<void> {
  await replaceFile(join(folder, terminal), `${cwd}\n${file}\n`, { flush: false });
}

/** The session that this terminal used last in this folder. */
export async function readBreadcrumb(folder: string, terminal: string, cwd: string): Promise<string | undefined> {
  const text = await readFile(join(folder, terminal), 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return '';
    throw fault;
  });
  const [noted, file] = text.split('\n');
  return noted === cwd && file ? file : undefined;
}
