/** What the events of `gemini --output-format stream-json` mean, and its exit codes. */
import type { WorkerUsage } from '../../events.ts';
import { exitFailure } from '../../parsing/ending.ts';
import type { EventReader } from '../../parsing/event-parser.ts';
import { type Fields, fieldsOf, numberOf, textOf } from '../../parsing/fields.ts';
import type { Failure } from '../../parsing/faults.ts';
import type { Reading } from '../../parsing/reading.ts';
import { readUsage } from '../../parsing/usage.ts';

/** Statuses that its exit codes stand for: the exit code is the status modulo 256. */
const STATUSES = [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529];
const RETRY = /^Attempt (\d+) failed(?: with status (\d{3}))?.*Retrying/;

/** Makes a reader for one process. */
export function geminiReader(): EventReader {
  return new GeminiReader();
}

class GeminiReader implements EventReader {
  readonly textIsAnswer = true;
  readonly banners = [
    /^Warning: (?:Basic terminal|256-color|True color)/,
    /^YOLO mode is enabled/,
    /^\[STARTUP\]/,
    /^Loaded cached credentials/,
    /^Ripgrep is not available/,
    /^Data collection is disabled/,
    // Frames of a stack.
    /^\s+at .*[:(]/,
  ];
  readonly #tools = new Map<string, string>();
  #startsAnew = true;

  event(event: Fields, reading: Reading): void {
    switch (event['type']) {
      case 'init':
        return reading.session(textOf(event['session_id']), textOf(event['model']));
      case 'message':
        return event['role'] === 'assistant' ? this.#text(textOf(event['content']) ?? '', reading) : undefined;
      case 'tool_use':
        return this.#toolUse(event, reading);
      case 'tool_result':
        return this.#toolResult(event, reading);
      case 'error':
        // The run goes on; what ends it comes as the result.
        return reading.warning(textOf(event['message']) ?? 'unknown error');
      case 'result':
        return result(event, reading);
    }
  }

  stderr(line: string, reading: Reading): void {
    const [, attempt, status] = RETRY.exec(line) ?? [];
    if (attempt === undefined) return;
    reading.retry({ text: line, status: status === undefined ? undefined : Number(status) }, Number(attempt));
  }

  exitFailure(code: number, reading: Reading): Failure | undefined {
    const text = reading.failure?.message ?? reading.lastWords();
    if (code === 41) return { ...exitFailure(reading, code), fault: 'login-needed' };
    if (code === 42) {
      const found = exitFailure(reading, code);
      return found.fault === 'other' ? { ...found, fault: 'bad-arguments' } : found;
    }
    const status = STATUSES.find((each) => each % 256 === code);
    return status === undefined || text === '' ? undefined : reading.classify({ text, status });
  }

  #text(text: string, reading: Reading): void {
    // What it says after its last tool call is the answer.
    if (this.#startsAnew) reading.answerIs(text);
    else reading.answerGoesOn(text);
    this.#startsAnew = false;
    reading.text(text, true);
  }

  #toolUse(event: Fields, reading: Reading): void {
    const id = textOf(event['tool_id']) ?? '';
    const name = textOf(event['tool_name']) ?? 'unknown';
    this.#tools.set(id, name);
    this.#startsAnew = true;
    reading.toolStart(id, name, event['parameters']);
  }

  #toolResult(event: Fields, reading: Reading): void {
    const id = textOf(event['tool_id']) ?? '';
    const output = textOf(event['output']) ?? textOf(fieldsOf(event['error'])['message']);
    reading.toolEnd(id, { name: this.#tools.get(id), isError: event['status'] !== 'success', output });
    this.#tools.delete(id);
  }
}

function result(event: Fields, reading: Reading): void {
  const usage = usageOf(fieldsOf(event['stats']));
  if (usage) reading.used(usage);
  if (event['status'] === 'success') {
    reading.isFinished = true;
    return;
  }
  reading.fail(reading.classify({ text: textOf(fieldsOf(event['error'])['message']) ?? 'unknown error' }));
}

/** Thoughts are only in the total. */
function usageOf(stats: Fields): WorkerUsage | undefined {
  const usage = readUsage(stats);
  if (!usage) return undefined;
  const total = numberOf(stats['total_tokens']) ?? 0;
  const reasoning = Math.max(0, total - usage.input - usage.output);
  return { ...usage, output: usage.output + reasoning, reasoning };
}
