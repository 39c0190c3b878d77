/** Why a process ended, as far as its events have not said it. */
import { plainLine } from '@tenon/wording';
import type { WorkerExit } from '../events.ts';
import { type Failure, messageText } from './faults.ts';
import type { Reading } from './reading.ts';

/** What an adapter knows about the end of its CLI. */
export interface EndRules {
  /** What exit codes mean that are this CLI's own. */
  exitFailure?(code: number, reading: Reading): Failure | undefined;
  /** True when exit code 0 is all that says that it has finished. */
  readonly endsWithoutEvent?: boolean;
}

/** The failure that the end of a process means; undefined when all is well. */
export function endFailure(reading: Reading, exit: WorkerExit, rules: EndRules): Failure | undefined {
  const stopped = stopFailure(reading, exit);
  if (stopped !== undefined) return stopped === 'none' ? undefined : stopped;
  if (reading.failure) return refined(reading.failure, reading, exit, rules);
  if (exit.signal !== undefined) return killed(`It was ended by the signal ${plainLine(exit.signal)}.`);
  const { code } = exit;
  if (code === undefined) return reading.isFinished ? undefined : killed('It is gone, and nobody saw how it ended.');
  const own = rules.exitFailure?.(code, reading);
  if (own) return own;
  if (code === 0) return reading.isFinished ? undefined : unfinished(reading);
  if (KILL_CODES.has(code)) return killed(`It was ended by a signal (exit code ${code}).`);
  return exitFailure(reading, code);
}

/** What an exit code and the last words mean that are no CLI's own. */
export function exitFailure(reading: Reading, code: number): Failure {
  const words = reading.lastWords();
  if (code === 127 && words === '')
    return { fault: 'not-installed', message: 'The program was not found (exit code 127).' };
  if (words === '') return { fault: 'other', message: `It ended with exit code ${code} and did not say why.` };
  const failure = reading.classify({ text: words });
  const fault = failure.fault === 'other' && code === 127 ? 'not-installed' : failure.fault;
  return { ...failure, fault, message: messageText(lastLines(words)) };
}

/** A failure of no known kind may be known by its exit code. */
function refined(failure: Failure, reading: Reading, { code }: WorkerExit, rules: EndRules): Failure {
  const own = failure.fault === 'other' && code !== undefined ? rules.exitFailure?.(code, reading) : undefined;
  return own && own.fault !== 'other' ? { ...own, message: failure.message } : failure;
}

function unfinished(reading: Reading): Failure {
  const words = reading.lastWords();
  const end = 'It ended before it had finished its answer';
  if (words === '') return { fault: 'other', message: `${end}, and did not say why.` };
  return { ...reading.classify({ text: words }), message: `${end}. ${messageText(lastLines(words))}` };
}

/** `none`: it was stopped, but it had finished before. */
function stopFailure(reading: Reading, { stoppedFor }: WorkerExit): Failure | 'none' | undefined {
  switch (stoppedFor) {
    case undefined:
      return undefined;
    case 'cancel':
      return killed('It was cancelled.');
    case 'hijack':
      return killed('Somebody took over its session.');
    case 'account-limit':
      return (
        reading.failure ??
        reading.pendingRetry ?? { fault: 'rate-limit', message: 'Its vendor kept refusing this account.' }
      );
    case 'output-limit':
      // What came after its last event is no part of its answer.
      if (reading.isFinished && !reading.failure) return 'none';
      return { fault: 'output-limit', message: 'It was ended because it wrote more than allowed.' };
    default: {
      // Some CLIs stay after their last event.
      if (reading.isFinished && !reading.failure) return 'none';
      const why = stoppedFor === 'timeout' ? 'its time was up' : 'it wrote nothing for too long';
      const problem = reading.failure ?? reading.pendingRetry;
      // Another account or a wait helps against what it tried again, more time does not.
      if (problem) return { ...problem, message: `It was ended because ${why}. Its last problem: ${problem.message}` };
      return { fault: stoppedFor, message: `It was ended because ${why}.` };
    }
  }
}

/** SIGINT, SIGKILL and SIGTERM, as a shell reports them. */
const KILL_CODES = new Set([130, 137, 143]);

function killed(message: string): Failure {
  return { fault: 'killed', message };
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-12).join('\n').slice(-1500);
}
