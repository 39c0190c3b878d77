/** What the events of `cline --json` mean. */
import type { EventReader } from '../../parsing/event-parser.ts';
import { contentText, type Fields, fieldsOf, numberOf, readLine, textOf } from '../../parsing/fields.ts';
import type { Reading } from '../../parsing/reading.ts';
import { readUsage } from '../../parsing/usage.ts';

/** Makes a reader for one process. */
export function clineReader(): EventReader {
  return new ClineReader();
}

class ClineReader implements EventReader {
  readonly textIsAnswer = true;
  #hasUsage = false;

  event(event: Fields, reading: Reading): void {
    reading.session(textOf(event['sessionId']), textOf(event['modelId']));
    switch (event['type']) {
      case 'agent_event':
        return this.#agentEvent(fieldsOf(event['event']), reading);
      case 'run_aborted':
        return reading.fail({ fault: 'killed', message: 'It was interrupted.' });
      case 'run_result':
        return this.#result(event, reading);
    }
  }

  /** Failures are objects on standard error. */
  stderr(line: string, reading: Reading): void {
    const read = readLine(line);
    if (read.kind !== 'event' || read.event['type'] !== 'error') return;
    reading.fail(reading.classify({ text: textOf(read.event['message']) ?? 'unknown error' }));
  }

  #agentEvent(event: Fields, reading: Reading): void {
    switch (event['type']) {
      case 'content_start':
        return contentStart(event, reading);
      case 'content_end':
        return contentEnd(event, reading);
      case 'usage': {
        const usage = readUsage(event);
        this.#hasUsage = true;
        return usage ? reading.used(usage, numberOf(event['cost'])) : undefined;
      }
      case 'notice':
        return event['noticeType'] === 'status' ? undefined : reading.warning(textOf(event['message']) ?? 'notice');
      case 'error': {
        const text = textOf(fieldsOf(event['error'])['message']) ?? textOf(event['error']) ?? 'unknown error';
        return event['recoverable'] === true ? reading.retry({ text }) : reading.fail(reading.classify({ text }));
      }
    }
  }

  #result(event: Fields, reading: Reading): void {
    const usage = readUsage(event['usage']);
    if (usage && !this.#hasUsage) reading.used(usage, numberOf(fieldsOf(event['usage'])['totalCost']));
    const text = textOf(event['text']) ?? '';
    const reason = textOf(event['finishReason']);
    if (reason === 'completed') {
      reading.goesOn();
      reading.isFinished = true;
      if (text !== '') reading.answerIs(text);
    } else if (reason === 'aborted') reading.fail({ fault: 'killed', message: 'It was interrupted.' });
    else reading.fail(reading.classify({ text: text === '' ? (reason ?? 'unknown error') : text }));
  }
}

/** Texts come in parts, each of them a "start". */
function contentStart(event: Fields, reading: Reading): void {
  if (event['contentType'] === 'text') reading.text(textOf(event['text']) ?? '', true);
  if (event['contentType'] === 'reasoning') reading.thinking(textOf(event['reasoning']) ?? '', true);
  if (event['contentType'] === 'tool')
    reading.toolStart(textOf(event['toolCallId']) ?? '', textOf(event['toolName']) ?? 'unknown', event['input']);
}

function contentEnd(event: Fields, reading: Reading): void {
  const text = textOf(event['text']);
  if (event['contentType'] === 'text' && text !== undefined) reading.answerIs(text);
  if (event['contentType'] !== 'tool') return;
  const error = textOf(event['error']);
  reading.toolEnd(textOf(event['toolCallId']) ?? '', {
    name: textOf(event['toolName']),
    isError: error !== undefined,
    output: error ?? outputText(event['output']),
  });
}

function outputText(output: unknown): string {
  const text = contentText(output);
  return text !== '' || output === undefined || output === null || typeof output === 'string'
    ? text
    : JSON.stringify(output);
}
