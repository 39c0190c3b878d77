/** Carries out one call: opens and ends sessions, and passes the rest on to actions. */
import {
  fitLines,
  MAX_OUTPUT_BYTES,
  scopeOf,
  textResult,
  type ToolCall,
  type ToolResult,
  type ToolScope,
} from '@tenon/tools/api';
import type { Folders } from '@tenon/host';
import { plainText } from '@tenon/wording';
import type { KnownAdapter } from './adapters/definition.ts';
import type { ActionHandler, ActionResult } from './actions/action.ts';
import { breakpointActions } from './actions/breakpoints.ts';
import { lookingActions } from './actions/looking.ts';
import { memoryActions } from './actions/memory.ts';
import { pause, resumeWith, standing } from './actions/running.ts';
import type { Debugger } from './debugger.ts';
import { errors } from './errors.ts';
import { type Input, timeoutOf } from './input.ts';
import { type Plan, planAttach, planLaunch } from './launch.ts';
import { breakpointText, sessionText } from './present.ts';
import type { DebugSession } from './session/debug-session.ts';
import type { RequestLimits } from './protocol/dap-client.ts';

/** What calls need. */
export interface CallHost {
  readonly folders: Pick<Folders, 'cwd'>;
  readonly sessions: Debugger;
  readonly timeoutSeconds: number;
  adapters(): readonly KnownAdapter[];
}

/** How long a program that was started may take to its first stop, when it was not asked to stop. */
const FIRST_STOP_MS = 5_000;

const ACTIONS: Readonly<Record<string, ActionHandler>> = {
  continue: resumeWith('continue'),
  step_over: resumeWith('next'),
  step_in: resumeWith('stepIn'),
  step_out: resumeWith('stepOut'),
  pause,
  ...breakpointActions,
  ...lookingActions,
  ...memoryActions,
};

/** Actions that make sense after the program has ended. */
const AFTERWARDS = new Set(['output']);

/** Runs a call. */
export async function runCall(host: CallHost, input: Input, call: ToolCall): Promise<ToolResult> {
  const scope = scopeOf(call, host.folders);
  const limits = { timeoutMs: timeoutOf(input, host.timeoutSeconds), signal: call.signal };
  const action = String(input['action']);
  const result = await perform(host, action, input, scope, limits);
  const snapshot = host.sessions.find(scope.session)?.snapshot();
  const { lines, isCut } = fitLines(result.lines, MAX_OUTPUT_BYTES);
  const text = [...lines, ...(isCut ? ['[The rest was left out: ask for less at once.]'] : [])].join('\n');
  return textResult(plainText(text), { action, success: true, ...(snapshot && { snapshot }), ...result.facts });
}

async function perform(
  host: CallHost,
  action: string,
  input: Input,
  scope: ToolScope,
  limits: RequestLimits,
): Promise<ActionResult> {
  const { sessions } = host;
  const owner = scope.session;
  switch (action) {
    case 'launch':
    case 'attach':
      return begin(host, input, scope, limits);
    case 'sessions': {
      const list = sessions.list(owner).map((session) => session.snapshot());
      const lines = list.length > 0 ? list.map(sessionText) : ['There are no debug sessions.'];
      return { lines, facts: { sessions: list } };
    }
    case 'terminate': {
      const snapshot = await sessions.end(owner);
      if (snapshot === undefined) return { lines: ['No debug session to terminate.'] };
      return { lines: [`The session ${snapshot.id} has ended.`], facts: { snapshot } };
    }
    default:
      return sessions.use(owner, async (session) => {
        if (session.state === 'ended' && !AFTERWARDS.has(action)) throw errors.create('DEBUG_NO_SESSION');
        if (action === 'output') return outputOf(session.parts.output);
        const handler = ACTIONS[action];
        if (handler === undefined) throw errors.create('DEBUG_MISSING_INPUT', { action, fields: 'a known action' });
        return handler({ session, current: session.current(), input, limits, cwd: session.parts.cwd });
      });
  }
}

function outputOf(output: { text(): string; isCut: boolean; totalBytes: number }): ActionResult {
  const text = plainText(output.text());
  const whole = text.replace(/\n$/, '').split('\n');
  // The newest part counts; a conversation has room for this much of it.
  const kept = fitLines([...whole].reverse(), MAX_OUTPUT_BYTES - 1024);
  const lines = [...kept.lines].reverse();
  const head = output.isCut || kept.isCut ? [`[The start was left out; ${output.totalBytes} bytes in all.]`] : [];
  return { lines: text === '' ? ['No output yet.'] : [...head, ...lines], facts: { output: lines.join('\n') } };
}

async function begin(host: CallHost, input: Input, scope: ToolScope, limits: RequestLimits): Promise<ActionResult> {
  const place = { owner: scope.session, cwd: scope.cwd, adapters: host.adapters() };
  const plan = input['action'] === 'attach' ? planAttach(input, place) : await planLaunch(input, place);
  const started = Date.now();
  await host.sessions.open(plan, limits);
  return host.sessions.use(scope.session, async (session) => {
    const left = Math.max(1_000, limits.timeoutMs - (Date.now() - started));
    const expects = plan.breakpoints.length > 0 || plan.fillings['stopOnEntry'] === true;
    const patience = plan.request === 'launch' && expects ? left : Math.min(left, FIRST_STOP_MS);
    if (plan.request === 'launch' || plan.breakpoints.length > 0)
      await session.settle({ ...limits, timeoutMs: patience });
    const { lines } = await standing(session, 0, {}, limits);
    return {
      lines: [...headOf(plan, session.parts.id, session.parts.sandbox), ...breakpointLines(session, plan), ...lines],
      facts: { adapter: plan.adapter.key },
    };
  });
}

function headOf({ request, adapter, program, cwd }: Plan, id: string, sandbox: string): string[] {
  const verb = request === 'launch' ? 'launched' : 'attached to';
  return [`${id}: ${verb} ${plainText(program)} with ${adapter.key} in ${plainText(cwd)}.`, sandbox];
}

function breakpointLines({ parts: { book, cwd } }: DebugSession, plan: Plan): string[] {
  return plan.breakpoints.flatMap(([kind]) => book.list(kind).map((record) => breakpointText(kind, record, cwd)));
}
