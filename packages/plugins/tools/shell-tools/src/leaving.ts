/**
 * Commands that leave their sandbox because somebody said yes: after it has refused them something, or at once where a
 * rule or an earlier answer allows it. They run in a shell of their own; that of the session stays as narrow as it is.
 */
import type { WayOut } from '@tenon/approval/api';
import type { SandboxRefusal, ToolCallEvent, ToolResult } from '@tenon/tools/api';
import type { CommandRun } from './command-run.ts';
import type { OpenShell } from './open-shell.ts';
import type { BashHost, Ready } from './prepare.ts';
import { present } from './present.ts';
import { startCommand } from './start-command.ts';

/** What is asked about. */
interface Leave {
  readonly cwd: string;
  readonly refused: readonly SandboxRefusal[];
  readonly canOpenNetwork: boolean;
}

/** How a question ended: with a second run, or with the reason why there was none. */
export type LeaveOutcome = { readonly result: ToolResult } | { readonly by: string; readonly reason: string };

/** Runs a command outside at once, where that was allowed before; undefined where it has to run in its sandbox first. */
export async function leaveAtOnce(host: BashHost, ready: Ready, cwd: string): Promise<ToolResult | undefined> {
  const { command, session } = ready;
  if (command.unsandboxed || command.async) return undefined;
  const approvals = await host.approvals();
  if (!approvals || !(await session.mayLeave())) return undefined;
  const leave: Leave = { cwd, refused: [], canOpenNetwork: true };
  if (!(await approvals.mayLeave(eventOf(ready, leave, command.env)))) return undefined;
  const shell = await session.fresh({ outside: true });
  try {
    const env = await variablesFor(ready, shell);
    if (!(await approvals.mayLeave(eventOf(ready, leave, env)))) return undefined;
    const outcome = await askAndRun(host, ready, leave, shell, env);
    // Somebody else has used the answer up, or a hook has its own view: the sandbox it is.
    return 'result' in outcome ? outcome.result : undefined;
  } finally {
    await session.retire(shell);
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
  (await host.approvals())?.takeWayOut(call.id); // Ids of calls may come again.
  const verdict = await host.gate(eventOf(ready, leave, env), call.signal);
  // Without a word about the way nobody has judged this: where approval is missing, nothing leaves by itself.
  const way = (await host.approvals())?.takeWayOut(call.id);
  call.signal.throwIfAborted();
  if (!verdict.allowed || way === undefined) {
    return { by: verdict.by ?? 'approval', reason: verdict.reason ?? 'nobody has judged it' };
  }
  if (way === 'outside') return { result: await run(host, ready, { shell: outside, cwd: leave.cwd, env, way }) };
  const shell = await session.fresh({ outside: false, network: 'public' });
  try {
    return { result: await run(host, ready, { shell, cwd: leave.cwd, env, way }) };
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

interface SecondRun {
  readonly shell: OpenShell;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly way: WayOut;
}

const NOTES: Readonly<Record<WayOut, string>> = {
  outside: '[This ran outside of the sandbox, as the user allowed.]',
  network: '[This ran in the sandbox with the network open, as the user allowed.]',
};

async function run(host: BashHost, ready: Ready, { shell, cwd, env, way }: SecondRun): Promise<ToolResult> {
  const { command, call, scope } = ready;
  const place = { text: await host.text(), shell, cwd };
  const running: CommandRun<ToolResult> = startCommand(
    host,
    { command: { ...command, env }, scope },
    place,
    async (result, summary) => {
      await host.filesMayHaveChanged();
      return present(command, result, summary, [NOTES[way]]);
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
