/** What the events of `tenon -p --mode json` mean. They have pi's names; errors come on standard error, as JSON. */
import type { EventReader } from '../../parsing/event-parser.ts';
import { type Fields, fieldsOf, isFields, listOf, readLine, textOf } from '../../parsing/fields.ts';
import { type Failure, messageText } from '../../parsing/faults.ts';
import type { Reading } from '../../parsing/reading.ts';
import type { WorkerFault } from '../../events.ts';
import { PiReader } from '../pi/events.ts';

/** Errors whose code says what kind they are of. */
const FAULTS: ReadonlyMap<unknown, WorkerFault> = new Map([
  ['SESSION_NOT_FOUND', 'session-unknown'],
  ['PRINT_NEEDS_MODEL', 'login-needed'],
  ['PRINT_SCHEMA_MISMATCH', 'schema'],
  ['PRINT_STOPPED', 'killed'],
]);

/** Makes a reader for one process. */
export function tenonReader(): EventReader {
  return new TenonReader();
}

class TenonReader extends PiReader {
  override readonly textIsAnswer = false;
  #problem: Fields | undefined;

  stderr(line: string, reading: Reading): void {
    const read = readLine(line);
    if (read.kind !== 'event') return;
    if (isFields(read.event['error'])) this.#problem = read.event['error'];
    for (const finding of listOf(read.event['diagnostics'])) reading.warning(sentence(finding));
  }

  /** The error on standard error says more than the last event: what to do next. */
  override end(reading: Reading): void {
    if (!this.#problem) super.end(reading);
  }

  exitFailure(code: number, reading: Reading): Failure | undefined {
    const problem = this.#problem;
    if (code === 0 || !problem) return undefined;
    const known = FAULTS.get(problem['code']) ?? (problem['class'] === 'usage' ? 'bad-arguments' : undefined);
    const found = reading.classify({ text: textOf(fieldsOf(problem['details'])['reason']) ?? sentence(problem) });
    return { ...found, fault: known ?? found.fault, message: messageText(sentence(problem)) };
  }
}

function sentence(problem: Fields): string {
  return [textOf(problem['message']), textOf(problem['next'])].filter(Boolean).join(' ');
}
