/** What the events of Claude Code (`--output-format stream-json`) mean. */
import type { EventReader } from '../../parsing/event-parser.ts';
import {
  contentText,
  type Fields,
  fieldsOf,
  isFields,
  isoTime,
  listOf,
  numberOf,
  textOf,
} from '../../parsing/fields.ts';
import type { Failure } from '../../parsing/faults.ts';
import type { Reading } from '../../parsing/reading.ts';
import { addUsage, NO_USAGE, readUsage } from '../../parsing/usage.ts';
import type { WorkerUsage } from '../../events.ts';

/** Makes a reader for one process. */
export function claudeReader(): EventReader {
  return new ClaudeReader();
}

class ClaudeReader implements EventReader {
  readonly textIsAnswer = true;
  /** Messages whose text has come in parts: the whole message repeats it. */
  readonly #streamed = new Set<string>();
  /** What each model call used as far as it is known; only the last event has it right. */
  readonly #calls = new Map<string, WorkerUsage>();
  readonly #tools = new Map<string, string>();
  #message = '';
  #countsCalls = false;
  #hasResult = false;

  event(event: Fields, reading: Reading): void {
    reading.session(textOf(event['session_id']), textOf(event['model']));
    switch (event['type']) {
      case 'system':
        return system(event, reading);
      case 'assistant':
        return this.#assistant(event, reading);
      case 'user':
        return this.#results(event, reading);
      case 'stream_event':
        return this.#partial(fieldsOf(event['event']), event, reading);
      case 'rate_limit_event':
        return limit(fieldsOf(event['rate_limit_info']), reading);
      case 'result':
        return this.#result(event, reading);
    }
  }

  /** A process that was ended has no result: the calls so far are the least that it used. */
  end(reading: Reading): void {
    if (this.#hasResult || this.#countsCalls) return;
    for (const usage of this.#calls.values()) reading.used(usage);
  }

  #assistant(event: Fields, reading: Reading): void {
    const message = fieldsOf(event['message']);
    const id = textOf(message['id']) ?? '';
    // What the CLI itself says in the model's place, such as "API Error: …", is told by the result.
    if (message['model'] === '<synthetic>' || event['is_api_error_message'] === true) return;
    const usage = readUsage(message['usage']);
    // The blocks of a message come as events of their own, each with the usage of the whole.
    if (usage && !this.#countsCalls) this.#calls.set(id, usage);
    const isOfSubagent = textOf(event['parent_tool_use_id']) !== undefined;
    for (const block of listOf(message['content'])) {
      const text = textOf(block['text']) ?? textOf(block['thinking']) ?? '';
      if (block['type'] === 'tool_use') this.#toolStart(block, reading);
      else if (isOfSubagent || this.#streamed.has(id)) continue;
      else if (block['type'] === 'text') reading.text(text);
      else if (block['type'] === 'thinking') reading.thinking(text);
    }
    const text = isOfSubagent ? '' : textBlocks(message['content']);
    if (text !== '') reading.answerIs(text);
  }

  #toolStart(block: Fields, reading: Reading): void {
    const id = textOf(block['id']) ?? '';
    const name = textOf(block['name']) ?? 'unknown';
    this.#tools.set(id, name);
    reading.toolStart(id, name, block['input']);
  }

  #results(event: Fields, reading: Reading): void {
    for (const block of listOf(fieldsOf(event['message'])['content'])) {
      if (block['type'] !== 'tool_result') continue;
      const id = textOf(block['tool_use_id']) ?? '';
      const output = contentText(block['content']);
      reading.toolEnd(id, { name: this.#tools.get(id), isError: block['is_error'] === true, output });
      this.#tools.delete(id);
    }
  }

  #partial(part: Fields, event: Fields, reading: Reading): void {
    if (textOf(event['parent_tool_use_id']) !== undefined) return;
    const id = textOf(event['api_message_id']) ?? this.#message;
    if (part['type'] === 'message_start') {
      const message = fieldsOf(part['message']);
      this.#message = textOf(message['id']) ?? '';
      this.#countsCalls = true;
      this.#calls.set(this.#message, readUsage(message['usage']) ?? NO_USAGE);
    } else if (part['type'] === 'message_delta') {
      const before = this.#calls.get(id) ?? NO_USAGE;
      const output = numberOf(fieldsOf(part['usage'])['output_tokens']) ?? before.output;
      reading.used({ ...before, output });
    } else if (part['type'] === 'content_block_delta') {
      const delta = fieldsOf(part['delta']);
      const text = textOf(delta['text']);
      const thinking = textOf(delta['thinking']);
      if (text === undefined && thinking === undefined) return;
      this.#streamed.add(id);
      if (text !== undefined) reading.text(text, true);
      if (thinking !== undefined) reading.thinking(thinking, true);
    }
  }

  /** The last event; a process that wakes up again for a task in the background has several. */
  #result(event: Fields, reading: Reading): void {
    const since = modelUsage(event['model_usage_since_last_result']);
    const usage = this.#hasResult && since ? since.usage : readUsage(event['usage']);
    if (usage) {
      const inAll = this.#hasResult ? addUsage(reading.usage, usage) : usage;
      // Without partial messages nothing has told the usage yet.
      if (!this.#countsCalls) reading.used(usage);
      reading.usedInAll(inAll);
    }
    this.#hasResult = true;
    cost(event, since?.cost, reading);
    reading.goesOn();
    const text = textOf(event['result']);
    if (event['is_error'] === true || textOf(event['subtype'])?.startsWith('error') === true) {
      reading.fail(failure(event, reading));
      return;
    }
    reading.isFinished = true;
    if (text !== undefined) reading.answerIs(text);
    if (event['structured_output'] !== undefined) reading.structured = { value: event['structured_output'] };
  }
}

/** `total_cost_usd` is the sum of the session; versions that do not say what came on top have only this process in it. */
function cost(event: Fields, since: number | undefined, reading: Reading): void {
  const total = numberOf(event['total_cost_usd']);
  if (since !== undefined) reading.spent(since);
  if (total === undefined) return;
  const counted = modelUsage(event['modelUsage'])?.usage.input ?? 0;
  const isOfProcess = since === undefined && counted <= (readUsage(event['usage'])?.input ?? 0);
  if (isOfProcess) reading.spent(total);
  else reading.sumsAre({ cost: total });
}

/** Usage and cost of all models of an event; undefined when it has no such field. */
function modelUsage(value: unknown): { readonly usage: WorkerUsage; readonly cost: number } | undefined {
  if (!isFields(value)) return undefined;
  const models = listOf(Object.values(value));
  return {
    usage: models.reduce<WorkerUsage>((sum, model) => addUsage(sum, readUsage(model) ?? NO_USAGE), NO_USAGE),
    cost: models.reduce((sum, model) => sum + (numberOf(model['costUSD']) ?? 0), 0),
  };
}

function textBlocks(content: unknown): string {
  return contentText(listOf(content).filter(({ type }) => type === 'text'));
}

function system(event: Fields, reading: Reading): void {
  if (event['subtype'] !== 'api_retry') return;
  const status = numberOf(event['error_status']);
  const error = textOf(event['error']) ?? 'unknown';
  const text = status === undefined ? `connection: ${error}` : `${status} ${error}`;
  // Without a status no answer has come.
  reading.retry({ text, status }, numberOf(event['attempt']), status === undefined ? 'network' : undefined);
}

function limit(info: Fields, reading: Reading): void {
  const used = numberOf(info['utilization']);
  const resetsAt = isoTime(info['resetsAt']);
  const window = textOf(info['rateLimitType']);
  reading.emit({
    type: 'limit',
    ...(used !== undefined && { remaining: Math.min(1, Math.max(0, 1 - used)) }),
    ...(resetsAt !== undefined && { resetsAt }),
    ...(window !== undefined && { window }),
  });
}

function failure(event: Fields, reading: Reading): Failure {
  const said = Array.isArray(event['errors']) ? event['errors'].filter((line) => typeof line === 'string') : [];
  const text = textOf(event['result']) ?? said.join('\n');
  const subtype = textOf(event['subtype']) ?? 'error';
  if (textOf(event['terminal_reason'])?.startsWith('aborted') === true)
    return { fault: 'killed', message: 'It was interrupted.' };
  if (subtype === 'error_max_structured_output_retries')
    return { fault: 'schema', message: 'It did not find an answer that fits the schema.' };
  if (subtype === 'error_max_turns')
    return { fault: 'other', message: 'It reached the limit of turns (maxTurns) before it had finished.' };
  if (subtype === 'error_max_budget_usd')
    return { fault: 'other', message: 'It reached the limit of cost (maxBudgetUsd) before it had finished.' };
  const found = reading.classify({
    // The id in a result is the wanted one; whether it exists is what the message says.
    hasSession: false,
    text: text === '' ? subtype : text,
    status: numberOf(event['api_error_status']),
  });
  const retry = reading.pendingRetry;
  return found.fault === 'other' && retry ? { ...retry, message: `${retry.message}; then: ${found.message}` } : found;
}
