/** What becomes of a run when a process of it has ended: a table of decisions, without effects. */
import type { WorkerExit, WorkerFault, WorkerOutcome } from '@tenon/workers/api';
import type { Signal } from '../exchange/contract.ts';
import type { Run, RunQuestion, RunSession } from '../run.ts';

/** What is known when a process has ended. */
export interface SessionEnd {
  readonly run: Pick<Run, 'request' | 'cliSession'>;
  readonly session: Pick<RunSession, 'reason'>;
  readonly exit: WorkerExit;
  readonly outcome: WorkerOutcome;
  readonly signal?: Signal | undefined;
  /** How often this attempt was already asked for a signal. */
  readonly asked: number;
  /** How often it may be. */
  readonly missingSignalRetries: number;
  /** Whether the session went on with one of the CLI's own sessions. */
  readonly isResumed: boolean;
  /** The number of the first message that waits to be sent. */
  readonly message?: number | undefined;
}

/** An error of a run. */
export interface RunFault {
  readonly fault: WorkerFault;
  readonly message: string;
  readonly retryAt?: string | undefined;
}

/** What comes next. */
export type NextStep =
  | {
      readonly type: 'done';
      readonly result: NonNullable<Run['result']>;
      readonly validate: boolean;
      readonly message?: number;
    }
  | { readonly type: 'ask'; readonly questions: readonly Pick<RunQuestion, 'id' | 'text' | 'options'>[] }
  | { readonly type: 'again'; readonly reason: 'missing-signal' | 'retry'; readonly isFresh: boolean }
  /** Another account may help; without one the run has failed. */
  | { readonly type: 'switch-account'; readonly error: RunFault }
  | { readonly type: 'fail'; readonly error: RunFault }
  | { readonly type: 'cancelled' }
  | { readonly type: 'hijacked' };

/** Failures that belong to the account, not to the task. */
const OF_ACCOUNT: ReadonlySet<WorkerFault> = new Set(['rate-limit', 'quota', 'auth', 'login-needed']);

const LIMITED: RunFault = { fault: 'rate-limit', message: 'The vendor kept refusing this account.' };

/** Modes whose work can be built and tested. */
const CHANGES_FILES: ReadonlySet<string> = new Set(['execute']);

/** Decides. The worker's own word counts most, then what its CLI says, then how the process ended. */
export function afterSession(end: SessionEnd): NextStep {
  const { run, exit, outcome, signal } = end;
  if (exit.stoppedFor === 'cancel') return { type: 'cancelled' };
  if (exit.stoppedFor === 'hijack') return { type: 'hijacked' };
  // The CLI could ask nobody: what its worker says about the end comes before it knew the answer.
  if (outcome.questions !== undefined && outcome.questions.length > 0) {
    const own = signal?.status === 'questions' ? signal.questions : [];
    return { type: 'ask', questions: [...outcome.questions, ...own] };
  }
  if (signal?.status === 'done') return done(end, textOf(signal.result) ?? outcome.text);
  if (signal?.status === 'questions') return { type: 'ask', questions: signal.questions };
  const { error } = outcome;
  // Also of one whose time was up while it waited for its vendor: another account helps, more time does not.
  if (error !== undefined && OF_ACCOUNT.has(error.fault)) return { type: 'switch-account', error };
  if (exit.stoppedFor === 'account-limit' && !outcome.isDone) return { type: 'switch-account', error: LIMITED };
  // Some CLIs stay after their last event.
  if (isLimit(exit.stoppedFor) && !outcome.isDone) return { type: 'fail', error: stopped(exit.stoppedFor) };
  if (signal?.status === 'error') return { type: 'fail', error: { fault: 'other', message: signal.error } };
  // The CLI has forgotten its session: another account has other sessions, or somebody has removed it.
  if (error?.fault === 'session-unknown' && end.isResumed) return { type: 'again', reason: 'retry', isFresh: true };
  if (error !== undefined) return { type: 'fail', error };
  if (outcome.isDone) return done(end, outcome.text);
  if (exit.code === undefined) {
    const message = 'The worker was killed, or the machine was restarted, before it had finished.';
    return { type: 'fail', error: { fault: 'killed', message } };
  }
  if (end.asked < end.missingSignalRetries)
    return { type: 'again', reason: 'missing-signal', isFresh: (outcome.session ?? run.cliSession) === undefined };
  const message = `The worker ended (exit code ${exit.code}) without saying that it had finished.`;
  return { type: 'fail', error: { fault: 'other', message } };
}

function done({ run, outcome, message }: SessionEnd, text: string): NextStep {
  const structured = outcome.structured;
  const { mode = 'execute', validate = true } = run.request;
  return {
    type: 'done',
    result: { text, ...(structured !== undefined && { structured }) },
    validate: validate && CHANGES_FILES.has(mode),
    ...(message !== undefined && { message }),
  };
}

/** A result that is data is shown as JSON. */
function textOf(result: unknown): string | undefined {
  if (result === undefined || result === null) return undefined;
  return typeof result === 'string' ? result : JSON.stringify(result);
}

type Limit = 'timeout' | 'idle-timeout' | 'output-limit';

function isLimit(reason: WorkerExit['stoppedFor']): reason is Limit {
  return reason === 'timeout' || reason === 'idle-timeout' || reason === 'output-limit';
}

function stopped(reason: Limit): RunFault {
  const messages = {
    timeout: 'The worker took longer than it may (--timeout, or the setting runs.timeoutMinutes).',
    'idle-timeout':
      'The worker wrote nothing for longer than it may (--idle-timeout, or the setting runs.idleTimeoutMinutes).',
    'output-limit': 'The worker wrote more than it may (--max-output, or the setting runs.maxOutputMegabytes).',
  };
  return { fault: reason, message: messages[reason] };
}
