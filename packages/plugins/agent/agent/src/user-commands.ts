/** Commands that the user types into a session, `!ls` for example: plugins may carry them out elsewhere. */
import { hook } from '@tenon/kernel';

/** What a command of the user gave. */
export interface CommandResult {
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
}

/** As long as a command may take. */
const COMMAND_MS = 2_147_483_647;

/** May carry out a shell command of the user in its own way. */
export const userBash = hook<'first', UserCommand, { readonly result?: CommandResult }>('user.bash', 'first', {
  access: 'packs',
  deadlineMs: COMMAND_MS,
});

/** May carry out Python code of the user: the plugin `eval-tools` does, after all others. */
export const userPython = hook<'first', UserCommand, { readonly result?: CommandResult }>('user.python', 'first', {
  access: 'packs',
  deadlineMs: COMMAND_MS,
});
