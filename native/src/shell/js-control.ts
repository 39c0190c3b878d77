/** The text that goes down the control pipe; see crates/shell/src/script.rs for the reasons. */
import { platform } from 'node:os';

import { FUNCTIONS, PRELUDE } from './scripts.ts';

const BULK_FROM = 256;
const CANCEL_SIGNAL_NAME = platform() === 'linux' ? 'RTMAX' : 'USR2';

/** The number of the signal that the prelude's trap waits for. */
export const CANCEL_SIGNAL = platform() === 'linux' ? 64 : 31;

/** Wraps text so that a shell reads it as one word. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The first orders for a new shell. It answers with a `ready` frame. */
export function prelude(): string {
  return (
    FUNCTIONS +
    PRELUDE.replace('@CANCEL_SIGNAL@', CANCEL_SIGNAL_NAME) +
    '{ LC_ALL=C \\builtin read -r -N 1 -u 255 __tenon_c; } 2>/dev/null\n#\n' +
    '\\builtin printf \'\\0I\\0%s\\0%s\\0\' "$$" "${__tenon_c:+1}" >&244\n'
  );
}

/** Puts a shell into its place: snapshot, carried state, working directory. */
export function settle(snapshot: string | undefined, state: Buffer | undefined, cwd: string, bulk: boolean): Buffer {
  const parts: Buffer[] = [];
  if (snapshot !== undefined) parts.push(Buffer.from(`\\builtin source ${quote(snapshot)} >/dev/null 2>&1\n`));
  if (state) {
    const { before, word } = asWord(state, 'c', bulk);
    parts.push(before, Buffer.from('\\builtin eval '), word, Buffer.from(' >/dev/null 2>&1\n'));
  }
  parts.push(
    Buffer.from(
      `{ \\builtin cd -- ${quote(cwd)} || \\builtin cd /; } >/dev/null 2>&1\n` +
        `\\builtin unset -v "\${!__tenon_@}" OLDPWD\n${report('ready')}`,
    ),
  );
  return Buffer.concat(parts);
}

function report(token: string): string {
  return `{ \\__tenon ${token};} >&- 2>&-\n`;
}

/** Asks a shell that has read everything, and said nothing, to report after all. */
export function probe(token: string): string {
  return `\n${FUNCTIONS}${report(token)}`;
}

/** Has a shell save its state and end. A signal alone does not reach one that waits for its next line. */
export const FAREWELL = '\n{ \\__tenon_cancel; } 2>&-\n';

/** True when a command may leave the shell unable to save its state. */
function mayDisarm(command: string): boolean {
  if (/noexec|extdebug|__tenon|builtin|enable|244|255/.test(command)) return true;
  return command.includes('set') && /(?:^|[^A-Za-z0-9-])-[A-Za-z0-9-]*n/.test(command);
}

/** True when a command may switch off builtins that the shell is driven with. */
function mayDisable(command: string): boolean {
  return command.includes('enable');
}

/** True when a command may switch `set -v` on. */
function maySetVerbose(command: string): boolean {
  if (command.includes('verbose')) return true;
  return command.includes('set') && /(?:^|[^A-Za-z0-9-])-[A-Za-z0-9-]*v/.test(command);
}

/** Takes back the standard streams, so that `exec >file` lasts for one command. */
export function restoreStreams(tracing: boolean): string {
  const restore = '\\exec 0<&245 1>&246 2>&247\n';
  return tracing ? `\n{ \\builtin set +x; } 2>&-\n${restore}{ \\builtin set -x; } 2>&-\n` : `\n${restore}`;
}

/** What a command's control text is made of. */
export interface CommandText {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly status: number;
  /** Whether `set -v` is in force. */
  readonly verbose: boolean;
  readonly token: string;
  readonly bulk: boolean;
}

/** The control text of one command. */
export function commandText(text: CommandText): Buffer {
  const { before, word } = asWord(Buffer.from(text.command), text.token, text.bulk);
  let opening = '';
  let closing = '';
  if (text.cwd !== undefined) {
    opening = `if { \\builtin cd -- ${quote(text.cwd)} >/dev/null; } 2>&-; then\n`;
    closing = "\nelse \\builtin printf 'the working directory cannot be entered\\n' >&2; __tenon_status 1; fi";
  }
  if (text.status !== 0) opening += `{ \\__tenon_status ${text.status}; } 2>&-\n`;
  if (text.verbose) opening += '{ \\builtin set -v; } 2>&-; ';
  for (const [name, value] of Object.entries(text.env)) opening += `${name}=${quote(value)} `;
  return Buffer.concat([
    Buffer.from(mayDisarm(text.command) ? '\n{ \\__tenon_keep; } 2>&-\n' : '\n'),
    before,
    Buffer.from(`${opening}${Object.keys(text.env).length === 0 ? '\\builtin eval ' : '\\builtin command eval '}`),
    word,
    // On the same line: the next one would already be shown.
    Buffer.from(text.verbose || maySetVerbose(text.command) ? '; \\__tenon_calm' : ''),
    Buffer.from(`${closing}\n\n`),
    Buffer.from(mayDisable(text.command) ? '{ \\__tenon_mend "$?";} >&- 2>&-\n' : ''),
    Buffer.from(report(text.token)),
    Buffer.from(before.length > 0 ? `{ \\builtin unset -v __tenon_${text.token};} 2>&-\n` : ''),
  ]);
}

/** Refuses what a shell cannot carry. */
export function checkRequest(command: string, env: Readonly<Record<string, string>>): void {
  if (command.includes('\0')) throw new Error('the command holds a NUL byte; remove it');
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const rule = 'use letters, digits and _, not starting with a digit';
      throw new Error(`invalid variable name ${JSON.stringify(name)}: ${rule}`);
    }
    if (value.includes('\0')) throw new Error('the environment holds a NUL byte; remove it');
  }
}

function asWord(text: Buffer, name: string, bulk: boolean): { before: Buffer; word: Buffer } {
  if (!bulk || text.length <= BULK_FROM) {
    // latin1 maps every byte to one character and back, so that text that is not UTF-8 survives.
    return { before: Buffer.alloc(0), word: Buffer.from(quote(text.toString('latin1')), 'latin1') };
  }
  const read = `{ LC_ALL=C \\builtin read -r -N ${text.length} -u 255 __tenon_${name}; } 2>&-\n`;
  return { before: Buffer.concat([Buffer.from(read), text]), word: Buffer.from(`"$__tenon_${name}"`) };
}
