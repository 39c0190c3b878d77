/** Understands JSON lines of a CLI that nobody has described: fields that many of them share. */
import type { ParserContext, WorkerParser } from '../api.ts';
import { eventParser, type EventReader } from './event-parser.ts';
import { contentText, type Fields, fieldsOf, isFields, textOf } from './fields.ts';
import type { LinePatterns } from './patterns.ts';
import type { Reading } from './reading.ts';
import { findUsage } from './usage.ts';

const SESSION = ['session_id', 'sessionId', 'sessionID', 'thread_id', 'threadId', 'conversation_id', 'conversationId'];
const FINAL = /^(?:result|done|final|complete[d]?|turn[._]completed|agent_end|end|finish(?:ed)?)$/i;

/** Makes a parser for JSON lines. Exit code 0 is what says that it has finished. */
export function genericEventParser(context: ParserContext, patterns: LinePatterns = {}): WorkerParser {
  const reader: EventReader = { ...patterns, event: readEvent, endsWithoutEvent: true };
  return eventParser(context, reader);
}

function readEvent(event: Fields, reading: Reading): void {
  reading.session(SESSION.map((key) => textOf(event[key])).find((id) => id !== undefined));
  const usage = findUsage(event);
  if (usage) reading.used(usage);
  const problem = errorText(event);
  if (problem !== undefined) {
    reading.fail(reading.classify({ text: problem }));
    return;
  }
  const text = textIn(event);
  if (text === '') return;
  if (FINAL.test(textOf(event['type']) ?? '')) {
    // The final event repeats what was said.
    if (text !== reading.answer) reading.text(text);
    reading.answerIs(text);
    return;
  }
  const isDelta = event['delta'] !== undefined || /delta/i.test(textOf(event['type']) ?? '');
  reading.text(text, isDelta);
  if (isDelta) reading.answerGoesOn(text);
  else reading.answerIs(text);
}

function errorText(event: Fields): string | undefined {
  const { error } = event;
  if (typeof error === 'string' && error !== '') return error;
  if (isFields(error)) return textOf(error['message']) ?? JSON.stringify(error);
  if (event['type'] !== 'error' && event['is_error'] !== true) return undefined;
  return textOf(event['message']) ?? textOf(event['result']) ?? textOf(event['text']) ?? JSON.stringify(event);
}

function textIn(event: Fields): string {
  const message = fieldsOf(event['message']);
  const role = textOf(event['role']) ?? textOf(message['role']);
  if (role !== undefined && role !== 'assistant' && role !== 'model') return '';
  for (const value of [
    event['result'],
    event['text'],
    event['delta'],
    event['content'],
    message['content'],
    event['message'],
  ]) {
    const text = contentText(isFields(value) ? [value] : value);
    if (text !== '') return text;
  }
  return '';
}
