import { type AgentSession, STOPPED_COMMAND, userBash, type UserCommandResult, userPython } from '@tenon/agent/api';
import type { KernelAccess } from '@tenon/kernel';
import type { AgentMessage } from '@tenon/sessions/api';
import { errors } from './errors.ts';

/** What a mode asks for. */
export interface UserCommandRequest {
  readonly kind: 'bash' | 'python';
  readonly command: string;
  readonly signal: AbortSignal;
  readonly excludeFromContext?: boolean;
}

/** Carries out a command of the user and makes it a part of the conversation: at once, or with the next prompt while the agent works. */
export async function runUserCommand(
  kernel: Pick<KernelAccess, 'run'>,
  agent: AgentSession,
  request: UserCommandRequest,
): Promise<UserCommandResult> {
  const { kind, command, signal, excludeFromContext = false } = request;
  const { session, cwd } = agent;
  const typed = { session: session.id, cwd, command, excludeFromContext, signal };
  const late = abortAfter(signal, STOP_MS);
  const answer = await kernel
    .run(kind === 'bash' ? userBash : userPython, typed, late.signal)
    .catch((fault: unknown) => {
      if (!signal.aborted) throw fault;
      return undefined;
    })
    .finally(() => late.end());
  if (!answer?.result && !signal.aborted) throw errors.create('MODES_NO_RUNNER', RUNNERS[kind]);
  const { result = STOPPED_COMMAND } = answer ?? {};
  const message = messageFor(request, result);
  if (message) await agent.send(message, { deliverAs: agent.state.isStreaming ? 'nextTurn' : 'followUp' });
  return result;
}

/** How long a handler that was stopped may take to say what there was until then. */
const STOP_MS = 3_000;

/** A signal that follows another one, later. */
function abortAfter(signal: AbortSignal, ms: number): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const start = () => void (timer = setTimeout(() => controller.abort(signal.reason), ms));
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', start);
  };
  return { signal: controller.signal, end };
}

const RUNNERS = {
  bash: { what: 'shell commands', plugin: 'shell-tools', hook: userBash.id },
  python: { what: 'Python code', plugin: 'eval-tools', hook: userPython.id },
};

function messageFor(
  { kind, command, excludeFromContext }: UserCommandRequest,
  result: UserCommandResult,
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
