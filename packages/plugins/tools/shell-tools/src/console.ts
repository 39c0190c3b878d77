/** `tenon shell`: a person types commands into the kind of shell that the agent's commands run in. */
import { StringDecoder } from 'node:string_decoder';
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { isInside } from '@tenon/host';
import { folderNow } from './command.ts';
import { userSandboxNotes } from './confinement.ts';
import { type ConsoleInput, pipedCommands, typedCommands } from './console-input.ts';
import { errors } from './errors.ts';
import type { RunResult } from './open-shell.ts';
import type { BashHost } from './prepare.ts';
import type { SessionShell } from './session-shell.ts';

/** The name of the shells in the pool; no session of the agent has it. */
const SESSION = 'tenon shell';
/** Enough of the output to see whether the sandbox was in the way. */
const HEARD_LENGTH = 8_192;
const TIMED_OUT = 124;
const MAX_SECONDS = 86_400;

type Console = Pick<CommandCall, 'io' | 'cwd' | 'signal'> & {
  readonly session: SessionShell;
  readonly timeoutMs: number | undefined;
};

/** Runs commands until there are no more, or one ends the shell; gives the exit code of the last. */
export async function runConsole(
  host: Pick<BashHost, 'pool' | 'bash'>,
  { io, cwd, signal, flags }: CommandCall,
): Promise<number> {
  const timeoutMs = timeLimit(flags['timeout']);
  const session = await host.pool.session(SESSION, cwd);
  const shell: Console = { io, cwd, signal, session, timeoutMs };
  try {
    const { command } = flags;
    if (typeof command === 'string') return (await runOne(shell, command, signal)).code;
    if (!io.interactive) return await runAll(shell, pipedCommands(process.stdin, host.bash, signal));
    await io.err(`${await describe(shell)}\nCommands get no input and no terminal. Ctrl-D or \`exit\` leaves.\n`);
    const prompt = () => `${folderName(session.folder)} $ `;
    return await runAll(
      shell,
      typedCommands({ input: process.stdin, output: process.stderr, bash: host.bash, prompt, signal }),
    );
  } finally {
    const left = (await session.background()).map(({ pid, command }) => `${pid} ${command}`);
    if (left.length > 0) await io.err(`[Ended with the shell: ${left.join('; ')}]\n`);
    await host.pool.end(SESSION);
  }
}

async function runAll(shell: Console, input: ConsoleInput): Promise<number> {
  let code: number = EXIT.ok;
  try {
    for await (const command of input.commands) {
      if (shell.signal.aborted) break;
      const ended = await input.whileRunning((stop) => runOne(shell, command, AbortSignal.any([shell.signal, stop])));
      code = ended.code;
      if (ended.isOver) break;
    }
  } finally {
    input.close();
  }
  return code;
}

async function runOne(
  { io, cwd, session, timeoutMs }: Console,
  command: string,
  signal: AbortSignal,
): Promise<{ readonly code: number; readonly isOver: boolean }> {
  const lease = await session.lease({ unsandboxed: false, signal });
  try {
    const { shell } = lease;
    const decoder = new StringDecoder('utf8');
    let heard = '';
    const show = (text: string) => {
      heard = (heard + text).slice(-HEARD_LENGTH);
      return io.out(text);
    };
    const folder = await folderNow(session.folder, cwd);
    await show(shell.takeBackgroundOutput().toString('utf8'));
    const result = await shell.run(command, {
      cwd: folder.cwd,
      signal,
      onOutput: ({ bytes }) => show(decoder.write(Buffer.from(bytes))),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    await show(decoder.end());
    await lease.ended(result, folder);
    const end = { command, exitCode: result.exitCode, output: heard };
    const notes = [...lease.notes, ...folder.notes, ...userSandboxNotes(shell.confinement, end), ...stopNotes(result)];
    for (const note of notes) await io.err(`${note}\n`);
    return { code: codeOf(result), isOver: hasEnded(result) };
  } finally {
    lease.release();
  }
}

/** `exit` and its like leave the console; a stop and a shell that switched itself off do not. */
function hasEnded({ outcome, shell, switchedOff }: RunResult): boolean {
  return outcome === 'exited' && shell !== 'kept' && switchedOff !== true;
}

function codeOf({ exitCode, outcome }: RunResult): number {
  return exitCode ?? (outcome === 'timed-out' ? TIMED_OUT : EXIT.interrupted);
}

function stopNotes({ outcome, switchedOff }: RunResult): string[] {
  if (outcome === 'timed-out') return ['[The time limit has ended the command.]'];
  return switchedOff
    ? ['[The command switched the shell off (set -n, or a trap on DEBUG), so there is a new one.]']
    : [];
}

async function describe({ session, signal }: Console): Promise<string> {
  const lease = await session.lease({ unsandboxed: false, signal });
  try {
    return lease.shell.confinement.describe();
  } finally {
    lease.release();
  }
}

function folderName(folder: string): string {
  const home = process.env['HOME'] ?? '/';
  return home !== '/' && isInside(folder, home) ? `~${folder.slice(home.length)}` : folder;
}

function timeLimit(given: CommandCall['flags'][string]): number | undefined {
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) throw errors.create('SHELL_TOOLS_TIMEOUT', { given: String(given) });
  return seconds * 1000;
}
