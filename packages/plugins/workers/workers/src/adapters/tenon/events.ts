/** What the events of `tenon -p --mode json` mean. They have pi's names; errors come on standard error, as JSON. */
import type { EventReader } from '../../parsing/event-parser.ts';
import { type Fields, fieldsOf, isFields, listOf, readLine, textOf } from '../../parsing/fields.ts';
import { type Failure, messageText } from '../../parsing/faults.ts';
import type { Reading } from '../../parsing/reading.ts';
import type { WorkerFault, WorkerQuestion } from '../../events.ts';
import { PiReader } from '../pi/events.ts';
import { HELD_ID, questionOf } from './held-calls.ts';

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
  /** Calls that wait for a person. */
  readonly #held = new Map<string, WorkerQuestion>();

  stderr(line: string, reading: Reading): void {
    const read = readLine(line);
    if (read.kind !== 'event') return;
    const problem = read.event['error'];
    if (isFields(problem)) {
      this.#problem = problem;
      const question = problem['code'] === 'PRINT_WAITS' ? heldCall(problem) : undefined;
      if (question) this.#held.set(question.id, question);
    }
    for (const finding of listOf(read.event['diagnostics'])) reading.warning(sentence(finding));
  }

  /** The error on standard error says more than the last event: what to do next. */
  override end(reading: Reading): void {
    if (!this.#problem) super.end(reading);
  }

  exitFailure(code: number, reading: Reading): Failure | undefined {
    const problem = this.#problem;
    if (code === 0 || !problem) return undefined;
    reading.questions.push(...this.#held.values());
    const known = FAULTS.get(problem['code']) ?? (problem['class'] === 'usage' ? 'bad-arguments' : undefined);
    const found = reading.classify({ text: textOf(fieldsOf(problem['details'])['reason']) ?? sentence(problem) });
    return { ...found, fault: known ?? found.fault, message: messageText(sentence(problem)) };
  }
}

/** The question about a call that needs approval. */
function heldCall(problem: Fields): WorkerQuestion | undefined {
  const { id, way } = fieldsOf(problem['details']);
  if (typeof id !== 'string' || !HELD_ID.test(id)) return undefined;
  const allow = typeof way === 'string' && way !== '' ? ['allow', `allow${way}`] : ['allow'];
  const text = `${textOf(problem['message']) ?? ''}\nIf it is allowed, make exactly the same call again.`;
  return { id: questionOf(id), text, options: [...allow, 'deny'] };
}

function sentence(problem: Fields): string {
  return [textOf(problem['message']), textOf(problem['next'])].filter(Boolean).join(' ');
}
