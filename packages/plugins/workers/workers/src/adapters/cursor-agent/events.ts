/** What the events of `cursor-agent --output-format stream-json` mean. */
import type { EventReader } from '../../parsing/event-parser.ts';
import { contentText, type Fields, fieldsOf, isFields, textOf } from '../../parsing/fields.ts';
import type { Reading } from '../../parsing/reading.ts';
import { readUsage } from '../../parsing/usage.ts';

/** Makes a reader for one process. */
export function cursorReader(): EventReader {
  return new CursorReader();
}

class CursorReader implements EventReader {
  readonly textIsAnswer = true;
  /** What was said since the last tool call: with partial output a whole message repeats its parts. */
  #said = '';

  event(event: Fields, reading: Reading): void {
    reading.session(textOf(event['session_id']), textOf(event['model']));
    switch (event['type']) {
      case 'assistant':
        return this.#assistant(contentText(fieldsOf(event['message'])['content']), reading);
      case 'thinking':
        return reading.thinking(textOf(event['text']) ?? '', true);
      case 'tool_call':
        return this.#toolCall(event, reading);
      case 'result':
        return this.#result(event, reading);
    }
  }

  #assistant(text: string, reading: Reading): void {
    if (text === '' || text === this.#said) return;
    this.#said += text;
    reading.text(text, true);
    reading.answerIs(this.#said);
  }

  #toolCall(event: Fields, reading: Reading): void {
    this.#said = '';
    const id = textOf(event['call_id']) ?? '';
    const [key, value] = Object.entries(fieldsOf(event['tool_call'])).find(([, each]) => isFields(each)) ?? [];
    const call = fieldsOf(value);
    // `readToolCall`; the tools of MCP servers are all one kind with a name inside.
    const name = textOf(fieldsOf(call['args'])['name']) ?? (key ?? 'unknown').replace(/ToolCall$/, '');
    if (event['subtype'] === 'started') return reading.toolStart(id, name, call['args']);
    if (event['subtype'] !== 'completed') return;
    const result = fieldsOf(call['result']);
    const isDone = isFields(result['success']);
    const exit = fieldsOf(result['success'])['exitCode'];
    const inner = Object.values(result).find((each) => each !== undefined);
    return reading.toolEnd(id, {
      name,
      isError: !isDone || (typeof exit === 'number' && exit !== 0),
      output: outputText(inner),
    });
  }

  #result(event: Fields, reading: Reading): void {
    const usage = readUsage(event['usage']);
    if (usage) reading.used(usage);
    const text = textOf(event['result']);
    if (event['is_error'] === true || event['subtype'] !== 'success') {
      reading.fail(reading.classify({ text: text ?? textOf(event['error']) ?? 'unknown error' }));
      return;
    }
    reading.isFinished = true;
    if (reading.answer === '' && text !== undefined) reading.answerIs(text);
  }
}

function outputText(value: unknown): string {
  const fields = fieldsOf(value);
  for (const key of ['content', 'stdout', 'output', 'errorMessage', 'message', 'reason']) {
    const text = contentText(fields[key]);
    if (text !== '') return text;
  }
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(fields);
}
