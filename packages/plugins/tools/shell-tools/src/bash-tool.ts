import {
  displayPath,
  explainFailures,
  scopeOf,
  type SinkSummary,
  textResult,
  type Tool,
  type ToolCall,
  type ToolCallEvent,
  type ToolResult,
} from '@tenon/tools/api';
import { cutText } from '@tenon/wording';
import type { JobOutcome, Jobs } from '@tenon/jobs/api';
import { TenonError, Type } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import type { CommandRun } from './command-run.ts';
import { type Command, folderFor, type RunFolder } from './command.ts';
import { sandboxNotes } from './confinement.ts';
import type { BashDetails } from './api.ts';
import { errors } from './errors.ts';
import {
  adviceAfterRefusal,
  leaveAfterRefusal,
  leaveAtOnce,
  leavingEvent,
  type RefusedRun,
  widerPlace,
} from './leaving.ts';
import type { OpenShell, RunResult } from './open-shell.ts';
import { type BashHost, prepare, type Ready, touchedCommand } from './prepare.ts';
import { present, presentJob } from './present.ts';
import { prompts } from './prompts/index.ts';
import { refusalsOf } from './refusals.ts';
import type { SessionShell } from './session-shell.ts';
import { startCommand } from './start-command.ts';

const BACKGROUND_BYTES = 4 * 1024;
const MAX_BACKGROUND = 5;
const MAX_LABEL = 120;

/** The tool that runs shell commands. */
export function createBashTool(host: BashHost): Tool {
  const lines = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));
  const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
  return explainFailures({
    description: prompts.bash({ timeout: host.timeoutSeconds, after: host.backgroundAfterSeconds }),
    parameters: Type.Object(
      {
        command: Type.String({ description: 'The command' }),
        // Not a Record: some model providers do not know `patternProperties`.
        env: Type.Optional(
          Type.Object({}, { additionalProperties: Type.String(), description: 'Variables for this command' }),
        ),
        timeout: Type.Optional(Type.Number({ description: `Seconds, 1 to 3600 (default ${host.timeoutSeconds})` })),
        cwd: Type.Optional(Type.String({ description: 'Folder for this command only, relative to the project' })),
        head: lines('Show only the first lines'),
        tail: lines('Show only the last lines'),
        pty: flag('Run on a terminal'),
        async: flag('Run as a background job'),
        unsandboxed: flag('Run outside of the sandbox; needs `reason`'),
        reason: Type.Optional(Type.String({ description: 'Why it must be outside' })),
      },
      { additionalProperties: false },
    ),
    touches: (input, call) => {
      const scope = scopeOf(call, host.folders);
      const touched = () => ({ commands: [touchedCommand(host, input, scope)] });
      // The gate must know what the command before this one has defined.
      return host.pool.noting(scope.session)?.then(touched) ?? touched();
    },
    async execute(input, call) {
      const ready = await prepare(host, input, call);
      if (ready.command.async) return runAsJob(host, ready);
      return runWhereAllowed(host, ready);
    },
  });
}

/** What a call would be outside of its sandbox, for the question about it. */
export async function leavingCall(
  host: BashHost,
  { input, callId, scope }: ToolCallEvent,
  signal: AbortSignal,
): Promise<ToolCallEvent | undefined> {
  const call: ToolCall = { id: callId, signal, update: async () => undefined, ...(scope && { scope }) };
  try {
    const ready = await prepare(host, input, call);
    return await leavingEvent(ready, (await runFolderOf(ready)).cwd);
  } catch (fault) {
    // The call itself says what is wrong with it.
    if (fault instanceof TenonError) return undefined;
    throw fault;
  }
}

/** In the sandbox; once more with less confinement where that failed because of it and somebody says yes. */
async function runWhereAllowed(host: BashHost, ready: Ready): Promise<ToolResult> {
  const { cwd } = await runFolderOf(ready);
  const atOnce = await leaveAtOnce(host, ready, cwd);
  const ended = atOnce === undefined || atOnce === 'sandbox' ? await runInForeground(host, ready) : atOnce;
  if (!('refused' in ended)) return ended;
  if (atOnce === 'sandbox') return ended.first('[It ran in the sandbox as it is, as the user chose.]');
  const { refused, canOpenNetwork, first } = ended;
  const outcome = await leaveAfterRefusal(host, ready, { cwd: ended.cwd, refused, canOpenNetwork });
  if (outcome && 'result' in outcome) return outcome.result;
  if (!outcome) return first(undefined);
  const { content, details, ...rest } = first(`[Not run outside of the sandbox: ${outcome.reason}]`);
  const refusal = { by: outcome.by, reason: outcome.reason, hasRun: true as const };
  return { ...rest, content, details: { ...(details as BashDetails), refused: refusal } };
}

async function runInForeground(host: BashHost, ready: Ready): Promise<ToolResult | RefusedRun> {
  const { command, call, session, scope } = ready;
  const lease = await session.lease({ unsandboxed: command.unsandboxed, signal: call.signal });
  const stop = () => run?.stop(call.signal.reason);
  let run: CommandRun<ToolResult> | undefined;
  let refusedRun: RefusedRun | undefined;
  try {
    const folder = await runFolderOf(ready);
    const text = await host.text();
    const { shell } = lease;
    const earlier = shell.takeBackgroundOutput();
    let wasEnded = false;
    let isJob = false;
    shell.confinement.takeRefusedHosts(); // Those of earlier commands.
    run = startCommand(host, ready, { text, shell, cwd: folder.cwd }, async (result, summary) => {
      const before = session.folder;
      wasEnded = true;
      const { confinement } = shell;
      const failure = failureOf(command, result, summary);
      const folders = [...new Set([folder.cwd, result.cwd])];
      const refused = await refusalsOf(confinement, { ...failure, folders, home: host.folders.home });
      if (!command.pty) await lease.ended(result, folder);
      await host.filesMayHaveChanged();
      const notes = [
        ...lease.notes,
        ...folder.notes,
        ...heardNotes(text, earlier),
        ...(await runningNotes(session)),
        ...lostNotes(result, shell),
        ...(session.folder === before ? [] : [`[Now in ${displayPath(scope.cwd, session.folder)}]`]),
      ];
      const first = (note: string | undefined) =>
        present(command, result, summary, [
          ...notes,
          ...(note === undefined ? sandboxNotes(confinement, failure) : [note]),
        ]);
      if (refused.length > 0 && isJob) {
        const leave = { cwd: folder.cwd, refused, canOpenNetwork: confinement.canOpenNetwork };
        return first(stoppedNote(await adviceAfterRefusal(host, ready, leave)));
      }
      if (refused.length > 0) {
        refusedRun = { refused, canOpenNetwork: confinement.canOpenNetwork, cwd: folder.cwd, first };
      }
      return first(undefined);
    });
    run.follow((shown) => call.update(textResult(shown)));
    call.signal.addEventListener('abort', stop, { once: true });
    if (call.signal.aborted) stop();
    const early = await within(run.result, backgroundAfterMs(host, ready));
    const jobs = early ? undefined : await jobsFor(host, ready);
    // Too many jobs: the command stays where it is, with its time limit.
    if (!wasEnded && jobs?.hasRoom(scope.session)) {
      const started = goOn(ready, jobs, run, shell);
      isJob = true;
      lease.leave();
      return started;
    }
    const result = early ?? (await run.result);
    call.signal.throwIfAborted();
    return refusedRun ?? result;
  } finally {
    call.signal.removeEventListener('abort', stop);
    lease.release();
  }
}

async function runAsJob(host: BashHost, ready: Ready): Promise<ToolResult> {
  const { command, call, session, scope } = ready;
  const jobs = await host.jobs();
  if (!call.scope) throw errors.create('SHELL_TOOLS_NO_JOBS', { reason: 'the call belongs to no session' });
  if (!jobs) throw errors.create('SHELL_TOOLS_NO_JOBS', { reason: 'the plugin jobs is not there' });
  const folder = await runFolderOf(ready);
  const place = await widerPlace(host, ready, folder.cwd);
  const wider = place === 'sandbox' ? undefined : place;
  const { shell, notes } = wider
    ? { shell: wider.shell, notes: [] }
    : await session.fork({ unsandboxed: command.unsandboxed, signal: call.signal });
  const env = wider?.env ?? command.env;
  try {
    const text = await host.text();
    const job = jobs.start({
      session: scope.session,
      type: 'bash',
      label: labelOf(command),
      async run({ signal, progress }) {
        const where = { text, shell, cwd: folder.cwd };
        const run = startCommand(
          host,
          { command: { ...command, env }, scope, session },
          where,
          async (result, summary) => {
            await session.retire(shell);
            await host.filesMayHaveChanged();
            const end = { ...failureOf(command, result, summary), folders: [folder.cwd], home: host.folders.home };
            const refused = command.unsandboxed ? [] : await refusalsOf(shell.confinement, end);
            const canOpenNetwork = shell.confinement.canOpenNetwork && !wider;
            const leave = { cwd: folder.cwd, refused, canOpenNetwork };
            const note = refused.length > 0 ? stoppedNote(await adviceAfterRefusal(host, ready, leave)) : undefined;
            return present(command, result, summary, [
              ...(wider ? [wider.note] : []),
              ...(note === undefined ? sandboxNotes(shell.confinement, end) : [note]),
            ]);
          },
        );
        return follow(run, signal, progress, () => session.retire(shell));
      },
    });
    return presentJob(command, job, '', [...notes, ...folder.notes]);
  } catch (fault) {
    await session.retire(shell);
    throw fault;
  }
}

/** A command that has run for long becomes a job. */
function goOn(ready: Ready, jobs: Jobs, run: CommandRun<ToolResult>, shell: OpenShell): ToolResult {
  const preview = run.latest();
  const job = jobs.start({
    session: ready.scope.session,
    type: 'bash',
    label: labelOf(ready.command),
    run: ({ signal, progress }) => follow(run, signal, progress, () => ready.session.retire(shell)),
  });
  return presentJob(ready.command, job, preview, []);
}

/** Follows a command to its end as a job. `lost` is called when it could not come to one. */
async function follow(
  run: CommandRun<ToolResult>,
  signal: AbortSignal,
  progress: (text: string) => void,
  lost: () => Promise<void>,
): Promise<JobOutcome> {
  const stop = () => run.stop(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  progress(run.latest());
  run.follow(progress);
  try {
    const { content, isError = false } = await run.result;
    return { text: content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'), isError };
  } catch (fault) {
    await lost();
    throw fault;
  }
}

function runFolderOf({ command, session, scope, script }: Ready): Promise<RunFolder> {
  return folderFor(command, { folder: session.folder, project: scope.cwd, script });
}

/** The jobs that a command may become one of, if the model can look after them. */
async function jobsFor(host: BashHost, { scope }: Ready): Promise<Jobs | undefined> {
  const isActive = await host.isActive(scope.session);
  return isActive('job') ? host.jobs() : undefined;
}

/** When a command becomes a job; never by hand or on a terminal, nor when its time limit comes first. */
function backgroundAfterMs({ backgroundAfterSeconds }: BashHost, { command, call }: Ready): number | undefined {
  const limit = command.timeoutSeconds ?? Number.POSITIVE_INFINITY;
  const isPossible = call.scope && !command.pty && backgroundAfterSeconds > 0 && backgroundAfterSeconds < limit;
  return isPossible ? backgroundAfterSeconds * 1000 : undefined;
}

/** The result when it comes in time. */
async function within<T>(result: Promise<T>, ms: number | undefined): Promise<T | undefined> {
  if (ms === undefined) return result;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

function failureOf({ command }: Command, { exitCode }: RunResult, { tail }: SinkSummary) {
  return { command, exitCode, output: tail };
}

/** For a command that nobody could be asked about in time. */
function stoppedNote(advice: string | undefined): string | undefined {
  return advice === undefined ? undefined : `[The sandbox stopped it: ${advice}]`;
}

function labelOf({ command }: Command): string {
  return cutText(command.replaceAll(/\s+/g, ' ').trim(), MAX_LABEL);
}

function heardNotes(text: Accelerators['text'], earlier: Uint8Array): string[] {
  const output = text.sanitize(earlier.subarray(-BACKGROUND_BYTES)).trim();
  return output === '' ? [] : [`[Background processes wrote meanwhile:]\n${output}`];
}

async function runningNotes(session: SessionShell): Promise<string[]> {
  const running = (await session.background()).slice(0, MAX_BACKGROUND);
  const names = running.map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`);
  return names.length === 0 ? [] : [`[Still running in the background: ${names.join('; ')}]`];
}

const SWITCHED_OFF =
  'The command left a shell that reads commands and runs none (`set -n`, or a DEBUG trap with extdebug)';

/** Status of a process that a signal has ended: this and the signal's number. */
const SIGNALLED = 128;

function lostNotes({ shell, switchedOff, outcome, exitCode }: RunResult, open: OpenShell): string[] {
  if (switchedOff) return [`[${SWITCHED_OFF}; the next one gets a new shell with the state from before it.]`];
  // After `exit` nobody wonders.
  if (shell === 'restored' && outcome === 'exited' && (exitCode ?? 0) > SIGNALLED)
    return [
      '[A signal ended the shell; the next command gets a new one with its variables, functions and folder, but without its traps and jobs.]',
    ];
  if (shell !== 'fresh') return [];
  return [
    open.isNoted
      ? '[The shell ended; the next command gets a new one with the variables from before this command.]'
      : '[The shell ended; the next command gets a new one without earlier variables.]',
  ];
}
