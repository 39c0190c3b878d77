/** What the events of `pi --mode json` mean; those of Tenon have the same names. */
import type { EventReader } from '../../parsing/event-parser.ts';
import { contentText, type Fields, fieldsOf, listOf, numberOf, textOf } from '../../parsing/fields.ts';
import type { Reading } from '../../parsing/reading.ts';
import { isNoUsage, readUsage } from '../../parsing/usage.ts';

/** Makes a reader for one process of pi. */
export function piReader(): EventReader {
  return new PiReader();
}

/** Reads events of pi. */
export class PiReader implements EventReader {
  readonly textIsAnswer: boolean = true;
  /** True when text of the current message has come in parts. */
  #isStreamed = false;
  #stopReason: string | undefined;
  /** An end with an error is final only when no retry follows. */
  #error: string | undefined;

  event(event: Fields, reading: Reading): void {
    switch (event['type']) {
      case 'session':
        return reading.session(textOf(event['id']));
      case 'agent_start':
      case 'turn_start':
        return reading.goesOn();
      case 'message_start':
        this.#isStreamed = false;
        return;
      case 'message_update':
        return this.#part(fieldsOf(event['assistantMessageEvent']), reading);
      case 'message_end':
        return this.#message(fieldsOf(event['message']), reading);
      case 'tool_execution_start':
        return reading.toolStart(
          textOf(event['toolCallId']) ?? '',
          textOf(event['toolName']) ?? 'unknown',
          event['args'],
        );
      case 'tool_execution_end':
        return reading.toolEnd(textOf(event['toolCallId']) ?? '', {
          name: textOf(event['toolName']),
          isError: event['isError'] === true,
          output: contentText(fieldsOf(event['result'])['content']),
        });
      case 'auto_retry_start': {
        const text = textOf(event['errorMessage']) ?? textOf(event['reason']) ?? this.#error ?? 'unknown error';
        this.#error = undefined;
        return reading.retry({ text }, numberOf(event['attempt']));
      }
      case 'auto_retry_end':
        if (event['success'] === false) this.#error = textOf(event['finalError']) ?? this.#error;
        return;
      case 'agent_end':
        return this.#agentEnd(reading);
      case 'agent_settled':
        return this.end(reading);
    }
  }

  /** Nothing more comes: what looked like a failure is one. */
  end(reading: Reading): void {
    if (this.#error === undefined) return;
    reading.fail(reading.classify({ text: this.#error }));
    this.#error = undefined;
  }

  #part(part: Fields, reading: Reading): void {
    const delta = textOf(part['delta']);
    if (delta === undefined || (part['type'] !== 'text_delta' && part['type'] !== 'thinking_delta')) return;
    this.#isStreamed = true;
    if (part['type'] === 'text_delta') reading.text(delta, true);
    else reading.thinking(delta, true);
  }

  #message(message: Fields, reading: Reading): void {
    if (message['role'] !== 'assistant') return;
    const usage = readUsage(message['usage']);
    const cost = numberOf(fieldsOf(fieldsOf(message['usage'])['cost'])['total']);
    if (usage && !isNoUsage(usage)) reading.used(usage, cost);
    this.#stopReason = textOf(message['stopReason']);
    this.#error = this.#stopReason === 'error' ? (textOf(message['errorMessage']) ?? 'unknown error') : undefined;
    const blocks = listOf(message['content']);
    const text = contentText(blocks.filter(({ type }) => type === 'text'));
    if (!this.#isStreamed) {
      for (const block of blocks) reading.thinking(textOf(block['thinking']) ?? '');
      reading.text(text);
    }
    if (text !== '') reading.answerIs(text);
  }

  #agentEnd(reading: Reading): void {
    if (this.#stopReason === 'aborted') reading.fail({ fault: 'killed', message: 'It was interrupted.' });
    if (this.#stopReason === 'length')
      reading.warning('The answer was cut off at the limit of what the model may write at once.');
    if (this.#stopReason === 'stop' || this.#stopReason === 'length') reading.isFinished = true;
  }
}
