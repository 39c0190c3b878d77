/** What the events of `opencode run --format json` mean. */
import type { EventReader } from '../../parsing/event-parser.ts';
import { type Fields, fieldsOf, isFields, numberOf, textOf } from '../../parsing/fields.ts';
import type { Failure } from '../../parsing/faults.ts';
import type { Reading } from '../../parsing/reading.ts';
import { readUsage } from '../../parsing/usage.ts';

/** Makes a reader for one process. */
export function opencodeReader(): EventReader {
  return new OpencodeReader();
}

class OpencodeReader implements EventReader {
  readonly textIsAnswer = true;
  #startsAnew = true;

  event(event: Fields, reading: Reading): void {
    reading.session(textOf(event['sessionID']));
    const part = fieldsOf(event['part']);
    switch (event['type']) {
      case 'step_start':
        this.#startsAnew = true;
        return reading.goesOn();
      case 'text':
        return this.#text(textOf(part['text']) ?? '', reading);
      case 'reasoning':
        return reading.thinking(textOf(part['text']) ?? '');
      case 'tool_use':
        return tool(part, reading);
      case 'step_finish':
        return stepFinish(part, reading);
      case 'error':
        return reading.fail(failure(fieldsOf(event['error']), reading));
    }
  }

  #text(text: string, reading: Reading): void {
    reading.text(text);
    // What it says in its last step is the answer.
    if (this.#startsAnew) reading.answerIs(text);
    else reading.answerGoesOn(`\n\n${text}`);
    this.#startsAnew = false;
  }
}

/** A call is told when it has ended. */
function tool(part: Fields, reading: Reading): void {
  const id = textOf(part['callID']) ?? '';
  const name = textOf(part['tool']) ?? 'unknown';
  const state = fieldsOf(part['state']);
  reading.toolStart(id, name, state['input']);
  // A command that fails is completed, too; only its exit code tells.
  const exit = numberOf(fieldsOf(state['metadata'])['exit']) ?? 0;
  const output = textOf(state['output']) ?? textOf(state['error']);
  reading.toolEnd(id, { name, isError: state['status'] !== 'completed' || exit !== 0, output });
}

function stepFinish(part: Fields, reading: Reading): void {
  const usage = readUsage(part['tokens']);
  // Its output does not count the thoughts.
  if (usage) reading.used({ ...usage, output: usage.output + usage.reasoning }, numberOf(part['cost']));
  const reason = textOf(part['reason']);
  if (reason === 'length') reading.warning('The answer was cut off at the limit of what the model may write at once.');
  // There is no last event: this and the end of the process are all that says so.
  if (reason === 'stop' || reason === 'length') reading.isFinished = true;
}

function failure(error: Fields, reading: Reading): Failure {
  const data = fieldsOf(error['data']);
  const name = textOf(error['name']) ?? 'unknown error';
  const message = textOf(data['message']) ?? textOf(error['message']) ?? name;
  const body = textOf(data['responseBody']) ?? '';
  const found = reading.classify({
    // The body tells a used-up account from one that was only too fast.
    text: `${message}\n${body}`,
    status: numberOf(data['statusCode']),
    headers: headersOf(data['responseHeaders']),
  });
  if (name === 'MessageAbortedError') return { fault: 'killed', message: 'It was interrupted.' };
  if (name === 'ProviderAuthError' && found.fault === 'other') return { ...found, fault: 'auth', message };
  return { ...found, message };
}

function headersOf(value: unknown): Readonly<Record<string, string>> {
  if (!isFields(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
