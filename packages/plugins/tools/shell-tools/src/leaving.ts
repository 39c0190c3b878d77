/**
 * Commands that leave their sandbox because somebody said yes: after it has refused them something, or at once where the
 * first question, a rule or an earlier answer allows it. They run in a shell of their own; that of the session stays as narrow as it is.
 */
import type { Approvals, WayOut } from '@tenon/approval/api';
import type { SandboxRefusal, ToolCallEvent, ToolResult } from '@tenon/tools/api';
import type { CommandRun } from './command-run.ts';
import type { OpenShell } from './open-shell.ts';
import type { BashHost, Ready } from './prepare.ts';
import { present } from './present.ts';
import { refusalsOf } from './refusals.ts';
import { startCommand } from './start-command.ts';

/** What is asked about. */
interface Leave {
  readonly cwd: string;
  readonly refused: readonly SandboxRefusal[];
  readonly canOpenNetwork: boolean;
}

/** How a question ended: with a second run, or with the reason why there was none. */
export type LeaveOutcome = { readonly result: ToolResult } | { readonly by: string; readonly reason: string };

/** A shell with less confinement for one command, and what it gets there. */
export interface WiderPlace {
  readonly shell: OpenShell;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly note: string;
}

/** A command that failed because of its sandbox, and its result with a note about what came of that. */
export interface RefusedRun {
  readonly refused: readonly SandboxRefusal[];
  readonly canOpenNetwork: boolean;
  readonly cwd: string;
  first(note: string | undefined): ToolResult;
}

/** What a call would be outside of its sandbox, for the question about it; undefined when it cannot leave. */
export async function leavingEvent(ready: Ready, cwd: string): Promise<ToolCallEvent | undefined> {
  const { session } = ready;
  if (ready.command.unsandboxed || !(await session.mayLeave())) return undefined;
  const shell = await session.fresh({ outside: true });
  try {
    return eventOf(ready, atOnce(cwd), await variablesFor(ready, shell));
  } finally {
    await session.retire(shell);
  }
}

/**
 * Where a command runs that was let out before it has run: by an answer, or by a rule. Undefined where it was not, and where
 * something has changed since: its folder, or a variable of the session. `sandbox`: somebody wants it to stay there. The
 * caller retires the shell.
 */
export async function widerPlace(
  host: BashHost,
  ready: Ready,
  cwd: string,
): Promise<WiderPlace | 'sandbox' | undefined> {
  const { command, call, session } = ready;
  const approvals = await host.approvals();
  if (!approvals || command.unsandboxed || !(await session.mayLeave())) return undefined;
  const isAnswered = approvals.hasWayOut(call.id);
  if (!isAnswered && !(await approvals.mayLeave(eventOf(ready, atOnce(cwd), command.env)))) return undefined;
  const outside = await session.fresh({ outside: true });
  let way: ReturnType<Approvals['takeWayOut']>;
  try {
    const env = await variablesFor(ready, outside);
    const event = eventOf(ready, atOnce(cwd), env);
    // Somebody else may use the answer up, and a hook may have its own view: then the sandbox it is.
    if (!isAnswered && !((await approvals.mayLeave(event)) && (await host.gate(event, call.signal)).allowed))
      return undefined;
    way = approvals.takeWayOut(event);
    if (way === undefined || way === 'sandbox') return way;
    const shell = way === 'outside' ? outside : await session.fresh({ outside: false, network: 'public' });
    return { shell, cwd, env, note: NOTES[way] };
  } finally {
    if (way !== 'outside') await session.retire(outside);
  }
}

function atOnce(cwd: string): Leave {
  return { cwd, refused: [], canOpenNetwork: true };
}

/** Runs a command with less confinement at once, where that was allowed; undefined where it has to run in its sandbox first. */
export async function leaveAtOnce(
  host: BashHost,
  ready: Ready,
  cwd: string,
): Promise<ToolResult | RefusedRun | 'sandbox' | undefined> {
  const place = await widerPlace(host, ready, cwd);
  if (place === 'sandbox' || place === undefined) return place;
  return run(host, ready, place).finally(() => ready.session.retire(place.shell));
}

/** What a person can do about a command that the sandbox has refused something, where nobody is asked. */
export async function adviceAfterRefusal(host: BashHost, ready: Ready, leave: Leave): Promise<string | undefined> {
  const approvals = await host.approvals();
  if (!approvals || !(await ready.session.mayLeave())) return undefined;
  const shell = await ready.session.fresh({ outside: true });
  try {
    return await approvals.holdLeaving(eventOf(ready, leave, await variablesFor(ready, shell)));
  } finally {
    await ready.session.retire(shell);
  }
}

/** Asks whether a command may run a second time, and runs it. */
export async function leaveAfterRefusal(host: BashHost, ready: Ready, leave: Leave): Promise<LeaveOutcome | undefined> {
  if (!(await host.approvals()) || !(await ready.session.mayLeave())) return undefined;
  const shell = await ready.session.fresh({ outside: true });
  try {
    return await askAndRun(host, ready, leave, shell, await variablesFor(ready, shell));
  } finally {
    await ready.session.retire(shell);
  }
}

/** The variables of the call, and those that earlier commands have set: they are part of what is judged and shown. */
async function variablesFor({ session, command, call }: Ready, shell: OpenShell): Promise<Record<string, string>> {
  return { ...(await session.setVariables(shell, call.signal)), ...command.env };
}

async function askAndRun(
  host: BashHost,
  ready: Ready,
  leave: Leave,
  outside: OpenShell,
  env: Readonly<Record<string, string>>,
): Promise<LeaveOutcome> {
  const { call, session } = ready;
  const event = eventOf(ready, leave, env);
  const verdict = await host.gate(event, call.signal);
  // Without a word about the way nobody has judged this: where approval is missing, nothing leaves by itself.
  const way = (await host.approvals())?.takeWayOut(event);
  call.signal.throwIfAborted();
  if (!verdict.allowed || way === undefined || way === 'sandbox') {
    return { by: verdict.by ?? 'approval', reason: verdict.reason ?? 'nobody has judged it' };
  }
  const place = { cwd: leave.cwd, env, note: NOTES[way] };
  const ended = async (shell: OpenShell) => {
    const result = await run(host, ready, { ...place, shell });
    return { result: 'refused' in result ? result.first(undefined) : result };
  };
  if (way === 'outside') return ended(outside);
  const shell = await session.fresh({ outside: false, network: 'public' });
  try {
    return await ended(shell);
  } finally {
    await session.retire(shell);
  }
}

/** The call as it is judged: the same words, in the folder and with the variables that it would really have. */
function eventOf(
  { command: { command, pty }, call }: Ready,
  { cwd, refused, canOpenNetwork }: Leave,
  env: Readonly<Record<string, string>>,
): ToolCallEvent {
  const input = { command, cwd, unsandboxed: true, ...(pty && { pty }), ...(Object.keys(env).length > 0 && { env }) };
  const needsNetworkOnly = canOpenNetwork && refused.every(isRemote);
  return {
    tool: 'bash',
    callId: call.id,
    input,
    touches: { commands: [{ text: command, cwd, env, unsandboxed: '', refused, needsNetworkOnly }] },
    risk: 'exec',
    ...(call.scope && { scope: { session: call.scope.session, cwd: call.scope.cwd } }),
  };
}

/** The proxy of a sandbox leads to public hosts, not to programs of this machine. */
function isRemote({ kind, what }: SandboxRefusal): boolean {
  return kind === 'network' && !/^(?:localhost|127\.|\[?::1)/.test(what);
}

const NOTES: Readonly<Record<WayOut, string>> = {
  outside: '[This ran outside of the sandbox, as the user allowed.]',
  network: '[This ran in the sandbox with the network open, as the user allowed.]',
};

async function run(
  host: BashHost,
  ready: Ready,
  { shell, cwd, env, note }: WiderPlace,
): Promise<ToolResult | RefusedRun> {
  const { command, call, scope, session } = ready;
  const place = { text: await host.text(), shell, cwd };
  const running: CommandRun<ToolResult | RefusedRun> = startCommand<ToolResult | RefusedRun>(
    host,
    { command: { ...command, env }, scope, session },
    place,
    async (result, summary) => {
      const end = { command: command.command, exitCode: result.exitCode, output: summary.tail };
      // The network alone may not have been enough.
      const refused = await refusalsOf(shell.confinement, { ...end, folders: [cwd], home: host.folders.home });
      await host.filesMayHaveChanged();
      const first = (more: string | undefined) =>
        present(command, result, summary, [note, ...(more === undefined ? [] : [more])]);
      return refused.length > 0 ? { refused, canOpenNetwork: false, cwd, first } : first(undefined);
    },
  );
  const stop = () => running.stop(call.signal.reason);
  call.signal.addEventListener('abort', stop, { once: true });
  if (call.signal.aborted) stop();
  try {
    return await running.result;
  } finally {
    call.signal.removeEventListener('abort', stop);
  }
}
