/** Commands that the user types into a session, `!ls` for example: plugins may carry them out elsewhere. */
import { hook, TenonError } from '@tenon/kernel';

/** What a command of the user gave. */
export interface UserCommandResult {
  /** The end of what it printed, both streams. */
  readonly output: string;
  readonly exitCode?: number;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
}

/** A command that is about to be carried out. */
export interface UserCommand {
  readonly session: string;
  readonly cwd: string;
  readonly command: string;
  /** True when the model will not see it. */
  readonly excludeFromContext: boolean;
  /** Aborts when the user stops the command. What it has printed by then is still wanted. */
  readonly signal: AbortSignal;
}

/** As long as a command may take. */
const COMMAND_MS = 2_147_483_647;

/** May carry out a shell command of the user: the plugin `shell-tools` does, after all others. */
export const userBash = hook<'first', UserCommand, { readonly result?: UserCommandResult }>('user.bash', 'first', {
  access: 'packs',
  deadlineMs: COMMAND_MS,
});

/** May carry out Python code of the user: the plugin `eval-tools` does, after all others. */
export const userPython = hook<'first', UserCommand, { readonly result?: UserCommandResult }>('user.python', 'first', {
  access: 'packs',
  deadlineMs: COMMAND_MS,
});

/** The result when there was nothing more to say before the user stopped a command. */
export const STOPPED_COMMAND: UserCommandResult = { output: '', cancelled: true, truncated: false };

/** What went wrong, as the result: the user would not read why a handler has failed. */
export function failedUserCommand(fault: unknown, signal: AbortSignal): UserCommandResult {
  if (signal.aborted) return STOPPED_COMMAND;
  if (!(fault instanceof TenonError)) throw fault;
  const output = `${[fault.message, fault.next].filter(Boolean).join(' ')}\n`;
  return { output, exitCode: 1, cancelled: false, truncated: false };
}
