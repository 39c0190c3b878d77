import { type AgentSession, type CommandResult, userBash, userPython } from '@tenon/agent/api';
import type { KernelAccess } from '@tenon/kernel';
import type { AgentMessage } from '@tenon/sessions/api';
import { errors } from './errors.ts';

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
