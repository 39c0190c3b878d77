/** Commands that the user types into a session, `!ls` for example: plugins may carry them out elsewhere. */
import type { AgentSession } from '@tenon/agent/api';
import { hook, type KernelAccess } from '@tenon/kernel';
import type { AgentMessage } from '@tenon/sessions/api';
import { errors } from './errors.ts';

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

/** What a mode asks for. */
export interface CommandRequest {
  readonly kind: 'bash' | 'python';
  readonly command: string;
  readonly signal: AbortSignal;
  readonly excludeFromContext?: boolean;
}

/** Carries out a command of the user and makes it a part of the conversation: at once, or with the next prompt while the agent works. */
export async function runUserCommand(
  kernel: Pick<KernelAccess, 'run'>,
  agent: AgentSession,
  request: CommandRequest,
): Promise<CommandResult> {
  const { kind, command, signal, excludeFromContext = false } = request;
  const { session, cwd } = agent;
  const asked = { session: session.id, cwd, command, excludeFromContext };
  const answer = await kernel.run(kind === 'bash' ? userBash : userPython, asked, signal).catch((fault: unknown) => {
    if (signal.aborted) return { result: STOPPED };
    throw fault;
  });
  const result = answer?.result ?? (await carryOut(kind, command, { cwd, session, signal }));
  const message = messageFor(request, result);
  if (message) await agent.send(message, { deliverAs: agent.state.isStreaming ? 'nextTurn' : 'followUp' });
  return result;
}

/** What a handler that was stopped had to say does not come through. */
const STOPPED: CommandResult = { output: '', cancelled: true, truncated: false };

async function carryOut(
  kind: CommandRequest['kind'],
  command: string,
  options: { cwd: string; session: AgentSession['session']; signal: AbortSignal },
): Promise<CommandResult> {
  if (kind === 'python') throw errors.create('MODES_NO_PYTHON');
  const { runBash } = await import('./run-bash.ts');
  return runBash(command, options);
}

function messageFor(
  { kind, command, excludeFromContext }: CommandRequest,
  result: CommandResult,
): AgentMessage | undefined {
  const timestamp = Date.now();
  if (kind === 'bash') {
    const hidden = excludeFromContext === true && { excludeFromContext };
    return { role: 'bashExecution', command, ...result, ...hidden, timestamp };
  }
  // A kind of message that other programs know; what the model must not see is not kept.
  if (excludeFromContext) return undefined;
  const content = `The user ran this Python code:\n\n${command}\n\nIt printed:\n\n${result.output}`;
  return { role: 'custom', customType: 'python', content, display: true, attribution: 'user', timestamp };
}
