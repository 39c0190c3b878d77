/** Ends a session whose process has ended: reads the rest, asks what it came to, and records what becomes of the run. */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DiagnosticReport, WorkerOutcome, WorkerUsage } from '@tenon/workers/api';
import { join } from 'node:path';
import { proposalFolder, readAnswerSignal, readSignal } from '../exchange/exchange.ts';
import { maskProposals } from '../exchange/own-file.ts';
import { afterSession, type NextStep, type RunFault } from '../life/after-session.ts';
import { correctDiagnostics } from '../life/correct-diagnostics.ts';
import type { RunsParts } from '../parts.ts';
import { ENDED_STATES, type Run, type RunEventBody, type RunMessage, type RunSession } from '../run.ts';
import { isSessionId } from '../session-id.ts';
import type { RunChange, RunStore } from '../store/run-store.ts';
import { nextAccount, recordUse } from './accounts.ts';
import { leaveUntouched } from './leftovers.ts';
import { type LiveSession, OUTPUT_FILES } from './live-session.ts';
import { exchangeFolder, sandboxFolder, scratchFolder } from './places.ts';
import { forgetKeys } from './run-keys.ts';
import { endProcesses } from './process-table.ts';
import type { Belongings } from './start-session.ts';

/** How long a failed run waits for the probe that was started beside it. */
const PROBE_MS = 5_000;

/** What finishing needs. */
export interface Finishing {
  readonly parts: RunsParts;
  readonly store: RunStore;
  readonly live: LiveSession;
  readonly belongings?: Belongings | undefined;
  /** Stores and tells what is still unread; throws when somebody else keeps the session now. */
  drain(live: LiveSession): Promise<void>;
}

/** Finishes it. Doing it again after a crash gives the same. */
export async function finishSession(work: Finishing): Promise<void> {
  const { parts, store, live, belongings } = work;
  const left = await endProcesses(live.processes, parts.settings.graceSeconds * 1_000);
  await work.drain(live);
  const said = await live.end();
  const run = await store.get(live.run);
  const sessions = await store.sessions(live.run);
  const session = sessions.find(({ number }) => number === live.number);
  if (run === undefined || session === undefined || session.ended !== undefined) return;
  const cliSession = live.cliSession ?? session.cliSession ?? (await searchSession(live, run, session, belongings));
  const counted = await countUsage(said, live, session, cliSession, belongings);
  const { state } = parts.folders;
  await recordUse(parts, session.account, counted, live);
  const exchange = exchangeFolder(state, run.id);
  const file = live.mask.value(await readSignal(exchange, live.number));
  await maskProposals(exchange, proposalFolder(exchange, live.number), live.mask);
  const answer = file.signal === undefined ? await readAnswerSignal(counted.text, live.number) : { text: counted.text };
  const outcome = { ...counted, text: answer.text };
  const { signal, notice } = { ...answer, ...file };
  const messages = (await store.messages(run.id)).filter((message) => message.state === 'queued');
  const step = afterSession({
    run: { request: run.request, ...(cliSession !== undefined && { cliSession }) },
    session,
    exit: live.exit,
    outcome,
    signal,
    asked: sessions.filter(({ attempt, reason }) => attempt === run.attempt && reason === 'missing-signal').length,
    missingSignalRetries: parts.settings.missingSignalRetries,
    isResumed: session.resumes !== undefined,
    message: messages[0]?.number,
  });
  const next = await changeFor(work, run, step, messages);
  // Only now, because the probe is one of them.
  await belongings?.release();
  for (const place of [scratchFolder, sandboxFolder])
    await rm(place(state, run.id, live.number), { recursive: true, force: true });
  const { events: told = [], run: changed, ...more } = next;
  const notices: RunEventBody[] = [
    ...(notice === undefined ? [] : [{ type: 'notice' as const, message: notice }]),
    ...(left.length === 0
      ? []
      : [
          {
            type: 'notice' as const,
            message: `processes could not be ended: ${left.map(({ pid }) => pid).join(', ')}`,
          },
        ]),
  ];
  const tidied = changed.state === 'done' ? await leaveUntouched(parts, run) : {};
  const stored = await store.change(run.id, {
    ...more,
    run: { ...sums(run, outcome), ...(cliSession !== undefined && { cliSession }), ...changed, ...tidied },
    session: ended(live, outcome, cliSession),
    events: [...outcome.events.map((event) => ({ type: 'worker' as const, event })), ...notices, ...told],
    from: ['starting', 'running'],
  });
  if (stored) await parts.tell({ outputs: [], events: stored.events });
  // All of it is in the store, without secrets.
  if (stored) for (const name of OUTPUT_FILES) await rm(join(live.folder, name), { force: true });
  if (stored && ENDED_STATES.includes(stored.run.state)) await forgetKeys(parts, run.id);
}

function ended(
  live: LiveSession,
  outcome: WorkerOutcome,
  cliSession: string | undefined,
): NonNullable<RunChange['session']> {
  const { code, signal, stoppedFor } = live.exit;
  return {
    ended: new Date().toISOString(),
    usage: outcome.usage,
    totals: outcome.totals,
    ...(outcome.cost !== undefined && { cost: outcome.cost }),
    ...(code !== undefined && { exitCode: code }),
    ...(signal !== undefined && { exitSignal: signal }),
    ...(stoppedFor !== undefined && { stoppedFor }),
    ...(cliSession !== undefined && { cliSession }),
  };
}

function sums({ usage, cost }: Run, outcome: WorkerOutcome): Pick<Run, 'usage' | 'cost'> {
  const total = outcome.cost === undefined ? cost : (cost ?? 0) + outcome.cost;
  return { usage: addUsage(usage, outcome.usage), ...(total !== undefined && { cost: total }) };
}

function addUsage(a: WorkerUsage, b: WorkerUsage): WorkerUsage {
  return Object.fromEntries(
    Object.entries(a).map(([name, value]) => [name, value + b[name as keyof WorkerUsage]]),
  ) as unknown as WorkerUsage;
}

/** Some CLIs say what they have used only in files of their own. */
async function countUsage(
  outcome: WorkerOutcome,
  { adapter }: LiveSession,
  { started }: RunSession,
  cliSession: string | undefined,
  belongings: Belongings | undefined,
): Promise<WorkerOutcome> {
  if (adapter.findUsage === undefined || cliSession === undefined) return outcome;
  const env = { ...(belongings?.env ?? process.env) };
  try {
    const usage = await adapter.findUsage({ session: cliSession, env, since: new Date(started) });
    if (usage === undefined) return outcome;
    return { ...outcome, usage, totals: { ...outcome.totals, usage: addUsage(outcome.totals.usage, usage) } };
  } catch {
    // A file that cannot be read must not keep the run from ending.
    return outcome;
  }
}

/** A CLI that was stopped before it told its session may still say which it was. */
async function searchSession(
  live: LiveSession,
  run: Run,
  session: RunSession,
  belongings: Belongings | undefined,
): Promise<string | undefined> {
  if (run.cliSession !== undefined && session.resumes === run.cliSession) return run.cliSession;
  const env = { ...(belongings?.env ?? process.env) };
  const found = await live.adapter.findSession?.({ cwd: run.folder, env, since: new Date(session.started) });
  return found !== undefined && isSessionId(found) ? found : undefined;
}

const state = (value: Run['state'], message?: string): RunEventBody => ({
  type: 'state',
  state: value,
  ...(message !== undefined && { message }),
});

/** How the run goes on after it is done: with the next message, open for messages, or not at all. */
export function rest(run: Pick<Run, 'request'>, message: number | undefined): RunChange {
  if (message !== undefined) {
    const next = { reason: 'message' as const, message };
    return { run: { state: 'queued', next }, sent: message, events: [state('queued')] };
  }
  if (run.request.interactive === true) return { run: { state: 'waiting' }, events: [state('waiting')] };
  return { run: { state: 'done', ended: new Date().toISOString() }, events: [state('done')] };
}

async function changeFor(
  work: Finishing,
  run: Run,
  step: NextStep,
  messages: readonly RunMessage[],
): Promise<RunChange> {
  switch (step.type) {
    case 'done': {
      const result = { result: step.result, error: undefined, diagnostics: undefined };
      if (step.validate && (await work.parts.validation()) !== undefined)
        return { run: { ...result, state: 'validating' }, events: [state('validating')] };
      const after = rest(run, step.message);
      return { ...after, run: { ...after.run, ...result } };
    }
    case 'ask': {
      const { questions } = step;
      return {
        run: { state: 'waiting' },
        ask: questions,
        events: [{ type: 'questions', questions }, state('waiting')],
      };
    }
    case 'again': {
      const { reason, isFresh } = step;
      return { run: { state: 'queued', next: { reason, isFresh } }, events: [state('queued', reason)] };
    }
    case 'switch-account':
      return switchAccount(work, run, step.error, messages);
    case 'fail':
      return fail(step.error, messages, await probed(work, step.error));
    case 'cancelled':
      return { ...over('cancelled', messages), fulfils: ['cancel', 'hijack'] };
    case 'hijacked':
      return { run: { state: 'hijacked' }, events: [state('hijacked')], fulfils: ['hijack'] };
  }
}

async function switchAccount(
  work: Finishing,
  run: Run,
  error: RunFault,
  messages: readonly RunMessage[],
): Promise<RunChange> {
  const { account, ...none } = await nextAccount(work.parts, run, work.live.adapter.spec, error);
  if (account === undefined) {
    const reason = 'reason' in none && none.reason !== undefined ? ` ${none.reason}` : '';
    const failure = { ...error, message: `${error.message}${reason}` };
    return fail(failure, messages, await probed(work, failure));
  }
  const except = 'except' in none ? none.except : [];
  // A config folder has sessions of its own.
  const isFresh = account.kind === 'config-folder';
  return {
    run: { state: 'queued', account: account.id, failedAccounts: except, next: { reason: 'account', isFresh } },
    events: [
      {
        type: 'account-switched',
        ...(run.account !== undefined && { from: run.account }),
        to: account.id,
        reason: error.message,
      },
      state('queued'),
    ],
  };
}

/** A run that has failed. Nobody will read the messages that wait for it; one notice says so. */
export function fail(
  { fault, message }: RunFault,
  messages: readonly RunMessage[],
  diagnostics?: DiagnosticReport,
): RunChange {
  const after = over('failed', messages, message);
  return { ...after, run: { ...after.run, error: { fault, message }, ...(diagnostics && { diagnostics }) } };
}

/** A run that is over. */
export function over(value: 'failed' | 'cancelled', messages: readonly RunMessage[], message?: string): RunChange {
  const count = messages.length;
  const dropped: RunEventBody = {
    type: 'notice',
    message: `${count === 1 ? 'One message that was waiting is' : `${count} messages that were waiting are`} not sent: the run has ${value === 'failed' ? 'failed' : 'been cancelled'}.`,
  };
  return {
    run: { state: value, ended: new Date().toISOString(), next: undefined },
    dropMessages: true,
    events: [...(count > 0 ? [dropped] : []), state(value, message)],
  };
}

async function probed({ parts, live, belongings }: Finishing, error: RunFault): Promise<DiagnosticReport | undefined> {
  const ended = new AbortController();
  const running =
    belongings?.diagnostics ??
    (await parts.registry()).diagnose(
      live.adapter,
      parts.env,
      AbortSignal.any([ended.signal, AbortSignal.timeout(PROBE_MS)]),
    );
  const report = await Promise.race([
    running,
    sleep(PROBE_MS, undefined, { signal: ended.signal }).catch(() => undefined),
  ]);
  ended.abort();
  return report && correctDiagnostics(report, error);
}
