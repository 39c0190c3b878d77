/** What the lines of `kimi --output-format stream-json` mean: messages of the conversation, and notes between them. */
import type { EventReader } from '../../parsing/event-parser.ts';
import { contentText, type Fields, fieldsOf, listOf, numberOf, textOf } from '../../parsing/fields.ts';
import type { Failure } from '../../parsing/faults.ts';
import type { Reading } from '../../parsing/reading.ts';

/** The one line of standard error that is its own: tools write there, too. */
const FATAL = /^error: (?:failed to run prompt: )?(.*)$/;
const STATUS = /^provider\.\w+: ([45]\d\d)\b/;

/** Makes a reader for one process. */
export function kimiReader(): EventReader {
  return new KimiReader();
}

class KimiReader implements EventReader {
  readonly textIsAnswer = true;
  readonly banners = [/^See log: /, /^To resume this session: /];
  readonly #tools = new Map<string, string>();
  #fatal: string | undefined;

  event(event: Fields, reading: Reading): void {
    switch (event['role']) {
      case 'assistant':
        return this.#assistant(event, reading);
      case 'tool':
        return this.#toolEnd(event, reading);
      case 'meta':
        return meta(event, reading);
    }
  }

  stderr(line: string): void {
    this.#fatal = FATAL.exec(line)?.[1] ?? this.#fatal;
  }

  exitFailure(code: number, reading: Reading): Failure | undefined {
    if (code === 0 || this.#fatal === undefined) return undefined;
    const status = STATUS.exec(this.#fatal)?.[1];
    return reading.classify({ text: this.#fatal, status: status === undefined ? undefined : Number(status) });
  }

  #assistant(event: Fields, reading: Reading): void {
    const text = contentText(event['content']);
    reading.text(text);
    if (text !== '') reading.answerIs(text);
    for (const call of listOf(event['tool_calls'])) {
      const id = textOf(call['id']) ?? '';
      const { name, arguments: input } = fieldsOf(call['function']);
      const tool = textOf(name) ?? 'unknown';
      this.#tools.set(id, tool);
      reading.toolStart(id, tool, inputOf(input));
    }
  }

  #toolEnd(event: Fields, reading: Reading): void {
    const id = textOf(event['tool_call_id']) ?? '';
    const output = contentText(event['content']);
    // It does not say whether a tool failed, but what its shell says is fixed.
    const isError = /(?:^|\n)Command failed with exit code: \d+\.?\s*$/.test(output.slice(-200));
    reading.toolEnd(id, { name: this.#tools.get(id), isError, output });
    this.#tools.delete(id);
  }
}

function meta(event: Fields, reading: Reading): void {
  if (event['type'] === 'session.resume_hint') {
    // The last line of a run that went well, and the only one with the session.
    reading.session(textOf(event['session_id']));
    reading.isFinished = true;
  }
  if (event['type'] !== 'turn.step.retrying') return;
  const name = textOf(event['error_name']) ?? '';
  const text = textOf(event['error_message']) ?? name;
  const fallback = /Connection|Timeout/.test(name) ? 'network' : undefined;
  reading.retry({ text, status: numberOf(event['status_code']) }, numberOf(event['failed_attempt']), fallback);
}

/** Arguments come as the text that the model wrote. */
function inputOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    // Not finished, or no JSON: shown as it is.
    return value;
  }
}
