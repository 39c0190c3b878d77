/** What the events of `codex exec --json` mean. */
import type { EventReader } from '../../parsing/event-parser.ts';
import { contentText, type Fields, fieldsOf, listOf, numberOf, textOf } from '../../parsing/fields.ts';
import type { Failure } from '../../parsing/faults.ts';
import type { Reading } from '../../parsing/reading.ts';
import { readUsage, usageSince } from '../../parsing/usage.ts';

/** A retry that it makes by itself, with its number. */
const RETRY = /^(?:Reconnecting|Retrying)\S*\s*(\d+)?/i;

/** Makes a reader for one process. */
export function codexReader(): EventReader {
  return new CodexReader();
}

class CodexReader implements EventReader {
  readonly banners = [/^Reading (?:additional input|prompt) from stdin/, /^WARNING: proceeding, even though/];
  readonly #started = new Set<string>();
  /** The last error that may still turn out to be a retry. */
  #error: string | undefined;

  event(event: Fields, reading: Reading): void {
    switch (event['type']) {
      case 'thread.started':
        return reading.session(textOf(event['thread_id']));
      case 'turn.started':
        return reading.goesOn();
      case 'item.started':
        return this.#item(fieldsOf(event['item']), false, reading);
      case 'item.completed':
        return this.#item(fieldsOf(event['item']), true, reading);
      case 'error':
        return this.#retry(textOf(event['message']) ?? 'unknown error', reading);
      case 'turn.failed':
        return reading.fail(
          reading.classify({ text: textOf(fieldsOf(event['error'])['message']) ?? this.#error ?? 'unknown error' }),
        );
      case 'turn.completed':
        return this.#completed(event, reading);
    }
  }

  /** It went away after an error that nothing followed. */
  exitFailure(code: number, reading: Reading): Failure | undefined {
    return code === 0 || this.#error === undefined ? undefined : reading.classify({ text: this.#error });
  }

  /** Only `turn.failed` is the end: an error at the top is a retry, or repeats what is about to be said. */
  #retry(message: string, reading: Reading): void {
    this.#error = message;
    const retry = RETRY.exec(message);
    if (retry) reading.retry({ text: message }, retry[1] === undefined ? undefined : Number(retry[1]));
  }

  #completed(event: Fields, reading: Reading): void {
    reading.isFinished = true;
    this.#error = undefined;
    const sum = readUsage(event['usage']);
    if (!sum) return;
    // The sum of the thread.
    reading.sumsAre({ usage: sum });
    reading.emit({ type: 'usage', usage: usageSince(sum, reading.context.before?.usage) });
  }

  #item(item: Fields, isCompleted: boolean, reading: Reading): void {
    const id = textOf(item['id']) ?? '';
    const text = textOf(item['text']) ?? '';
    switch (item['type']) {
      case 'agent_message':
        if (!isCompleted) return;
        reading.text(text);
        return reading.answerIs(text);
      case 'reasoning':
        return isCompleted ? reading.thinking(text) : undefined;
      case 'error':
        return isCompleted ? reading.warning(textOf(item['message']) ?? 'unknown warning') : undefined;
      case 'todo_list':
        return;
    }
    const tool = toolOf(item);
    if (!tool) return;
    // Some items come only when they are complete.
    if (!this.#started.has(id)) reading.toolStart(id, tool.name, tool.input);
    this.#started.add(id);
    if (!isCompleted) return;
    reading.toolEnd(id, { name: tool.name, isError: isFailed(item), output: tool.output });
    this.#started.delete(id);
  }
}

interface ToolItem {
  readonly name: string;
  readonly input: unknown;
  readonly output?: string | undefined;
}

function toolOf(item: Fields): ToolItem | undefined {
  switch (item['type']) {
    case 'command_execution':
      return { name: 'shell', input: { command: item['command'] }, output: textOf(item['aggregated_output']) };
    case 'file_change':
      return { name: 'apply_patch', input: { changes: listOf(item['changes']) } };
    case 'mcp_tool_call': {
      const output = contentText(fieldsOf(item['result'])['content']) || textOf(fieldsOf(item['error'])['message']);
      const name = `mcp__${textOf(item['server']) ?? 'unknown'}__${textOf(item['tool']) ?? 'unknown'}`;
      return { name, input: item['arguments'], output };
    }
    case 'web_search':
      return { name: 'web_search', input: { query: item['query'] } };
    default:
      return undefined;
  }
}

function isFailed(item: Fields): boolean {
  const code = numberOf(item['exit_code']);
  return item['status'] === 'failed' || item['status'] === 'declined' || (code !== undefined && code !== 0);
}
