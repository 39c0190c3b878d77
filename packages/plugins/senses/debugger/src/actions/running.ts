/** Going on, stepping, pausing. */
import { TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { numberIn } from '../input.ts';
import { plainText } from '@tenon/wording';
import { shown, stateText } from '../present.ts';
import type { DebugSession } from '../session/debug-session.ts';
import type { RequestLimits } from '../protocol/dap-client.ts';
import type { ActionCall, ActionHandler, ActionResult } from './action.ts';

const SHOWN_OUTPUT = 4_000;

/** How long the first request to pause may stay without effect before it is made again. */
const FIRST_PAUSE_MS = 2_000;

/** Lets the program go on with a request of the protocol. */
export function resumeWith(command: 'continue' | 'next' | 'stepIn' | 'stepOut'): ActionHandler {
  return async ({ session, current, input, limits }) => {
    if (current.state !== 'stopped')
      throw errors.create('DEBUG_NOT_STOPPED', { state: current.state, what: 'position' });
    const threadId = numberIn(input, 'thread_id') ?? (await current.thread(limits));
    const before = session.parts.output.totalBytes;
    const outcome = await resumed(session, current, command, threadId, limits);
    return standing(session, before, { state: outcome.state, timedOut: outcome.timedOut }, limits);
  };
}

async function resumed(
  session: DebugSession,
  current: DebugSession,
  command: string,
  threadId: number,
  limits: RequestLimits,
) {
  const outcome = await current.resume(command, { threadId }, limits);
  // A child that has ended leaves its parent, which goes on.
  return current === session || current.state !== 'ended' ? outcome : session.settle(limits);
}

/** Stops the program where it is. */
export async function pause({ session, current, input, limits }: ActionCall): Promise<ActionResult> {
  const before = session.parts.output.totalBytes;
  if (current.state === 'running') {
    const threadId = numberIn(input, 'thread_id') ?? (await current.thread(limits));
    if (!(await stopsWhenAsked(session, current, threadId, limits)))
      throw errors.create('DEBUG_TIMEOUT', { command: 'pause', seconds: String(Math.round(limits.timeoutMs / 1000)) });
  }
  return standing(session, before, {}, limits);
}

/**
 * Asks until it stops: LLDB loses a request that comes while it is still setting the program going, as it does at the end of an
 * attach. To a program that has stopped meanwhile, one more request does nothing.
 */
async function stopsWhenAsked(
  session: DebugSession,
  current: DebugSession,
  threadId: number,
  limits: RequestLimits,
): Promise<boolean> {
  const end = Date.now() + limits.timeoutMs;
  for (let patience = FIRST_PAUSE_MS; ; patience *= 2) {
    const left = Math.max(1, end - Date.now());
    await current.send('pause', { threadId }, { ...limits, timeoutMs: left });
    const { timedOut } = await session.settle({ ...limits, timeoutMs: Math.min(patience, left) });
    if (!timedOut) return true;
    if (patience >= left) return false;
  }
}

/** Where the program stands after it ran, with what it wrote meanwhile. */
export async function standing(
  session: DebugSession,
  outputBefore: number,
  facts: Readonly<Record<string, unknown>>,
  limits: RequestLimits,
): Promise<ActionResult> {
  await session.current().frame(limits);
  const snapshot = session.snapshot();
  const lines = [stateText(snapshot), ...(await troubleOf(session.current(), limits))];
  if (snapshot.state === 'running')
    lines.push(
      'It did not stop within the time. Use pause to stop it now, output to see what it writes, or terminate.',
    );
  const fresh = freshOutput(session, outputBefore);
  if (fresh !== '') lines.push('', 'New output:', fresh);
  return { lines, facts: { ...facts, state: snapshot.state } };
}

/** Reasons to stop that come with an explanation. */
const TROUBLE = /exception|panic|fatal|signal|error/i;

/** What went wrong, when the program stopped for that. */
async function troubleOf(current: DebugSession, limits: RequestLimits): Promise<string[]> {
  const { stop, capabilities } = current;
  if (stop === undefined || !TROUBLE.test(stop.reason) || !capabilities.supportsExceptionInfoRequest) return [];
  try {
    const { exceptionId, description } = await current.send('exceptionInfo', { threadId: stop.threadId }, limits);
    const parts = [exceptionId, description].filter((part) => typeof part === 'string' && part !== '');
    return parts.length === 0 ? [] : [shown(parts.join(': '))];
  } catch (fault) {
    // It only adds to what is known; some adapters have nothing to say about some stops.
    if (fault instanceof TenonError && fault.code === 'DEBUG_REQUEST_FAILED') return [];
    throw fault;
  }
}

function freshOutput({ parts: { output } }: DebugSession, before: number): string {
  const fresh = output.totalBytes - before;
  if (fresh <= 0) return '';
  const text = Buffer.from(output.text()).subarray(-fresh).toString('utf8');
  return plainText(text.slice(-SHOWN_OUTPUT)).replace(/\n+$/, '');
}
