import type { Mender } from './mended-fetch.ts';
import {
  argumentText,
  count,
  counts,
  errorIn,
  type Fields,
  fields,
  idOf,
  list,
  said,
  spokenFields,
  toolName,
  UnreadableField,
  word,
} from './values.ts';

/** Ids that a server left out begin so; they mean nothing to it and are not sent back. */
export const MADE_UP_ID = 'tenon_';

interface OpenItem {
  readonly index: number;
  readonly id: string;
  readonly type: 'message' | 'reasoning' | 'function_call';
  /** For calls: its head. */
  readonly call?: { readonly call_id: string; readonly name: string };
  /** What came of its text or its arguments. */
  text: string;
  hasSummary: boolean;
  isDone: boolean;
}

/** Completes the events of OpenAI's Responses. */
export class ResponsesMender implements Mender {
  readonly #items: OpenItem[] = [];
  /** A piece of a call that has not begun. */
  #lostCall: Fields | undefined;
  #isOver = false;

  take(event: Fields, sseName: string | undefined): readonly Fields[] {
    const type = word(event['type']) ?? sseName;
    if (type === 'error' || (type === undefined && errorIn(event))) return [this.#error(event)];
    switch (type) {
      case 'response.created':
        return [created(fields(event['response']))];
      case 'response.output_item.added':
        return this.#add(spokenFields(event['item'], 'item'), event);
      case 'response.output_item.done':
        return this.#done(spokenFields(event['item'], 'item'), event);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#text(event, type, said(event['delta'], 'delta'));
      case 'response.output_text.done':
        return this.#textDone(event);
      case 'response.function_call_arguments.delta':
        return this.#arguments(event, argumentText(event['delta'], 'delta'));
      case 'response.reasoning_summary_part.added':
      case 'response.reasoning_summary_part.done':
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#thought(event, type);
      case 'response.completed':
      case 'response.done':
      case 'response.incomplete':
        return this.#complete(fields(event['response']), type === 'response.incomplete');
      case 'response.failed':
        return [this.#failed(event)];
      case undefined:
        throw new UnreadableField('type', event['type'], 'the name of an event');
      default:
        return []; // Of a tool that the server runs itself, or of a later version of the protocol.
    }
  }

  /** A server that says [DONE] has finished, also without `response.completed`. */
  end(isDone: boolean): readonly Fields[] {
    return isDone && this.#items.length > 0 ? this.#complete({}, false) : [];
  }

  #add(item: Fields, event: Fields): readonly Fields[] {
    const type = kindOf(item);
    if (!type) return [];
    const index = count(event['output_index']) ?? this.#items.length;
    const known = this.#items.find((open) => open.index === index);
    if (known) return [];
    const id = idOf(item['id']) ?? `${MADE_UP_ID}${index}`;
    const added = (more: Fields) => ({
      type: 'response.output_item.added',
      output_index: index,
      item: { type, id, ...more },
    });
    const state = { index, id, type, text: '', hasSummary: false, isDone: false };
    if (type !== 'function_call') {
      this.#items.push(state);
      return [added(optional({ phase: phase(item), encrypted_content: word(item['encrypted_content']) }))];
    }
    const called = toolName(item['name'], 'item.name');
    // Its end may tell the name.
    if (called === undefined) return [];
    const call = { call_id: idOf(item['call_id']) ?? id, name: called };
    this.#items.push({ ...state, call });
    return [added({ ...call, arguments: '' })];
  }

  #done(item: Fields, event: Fields): readonly Fields[] {
    const type = kindOf(item);
    if (!type) return [];
    const found = this.#find(count(event['output_index']), idOf(item['id']), type);
    const begin = found ? [] : this.#add(item, event);
    const open = found ?? this.#items.at(-1);
    if (!open || open.isDone) return begin;
    if (type === 'function_call') this.#lostCall = undefined;
    return [...begin, ...this.#close(open, item)];
  }

  /** Ends an item; what it has and was never streamed comes now. */
  #close(open: OpenItem, item: Fields): readonly Fields[] {
    open.isDone = true;
    const { id, type, index, call } = open;
    const done = (more: Fields) => ({
      type: 'response.output_item.done',
      output_index: index,
      item: { type, id, ...more },
    });
    if (type === 'message')
      return [...this.#rest(open, () => messageText(item)), done(optional({ phase: phase(item) }))];
    if (type === 'reasoning')
      return [...this.#summary(open, item), done(optional({ encrypted_content: word(item['encrypted_content']) }))];
    const rest = this.#rest(open, () => argumentText(item['arguments'], 'item.arguments'));
    return [...rest, done({ ...call, arguments: open.text, status: 'completed' })];
  }

  #summary(open: OpenItem, item: Fields): readonly Fields[] {
    if (open.hasSummary) return [];
    const text = list(item['summary'], 'item.summary')
      .map((part) => word(part['text']) ?? '')
      .join('\n\n');
    return text === '' ? [] : thoughtDelta(open, 0, text);
  }

  /** The whole text of an item that did not come in pieces. */
  #rest(open: OpenItem, read: () => string): readonly Fields[] {
    if (open.text !== '') return [];
    open.text = read();
    if (open.text === '') return [];
    return open.type === 'function_call' ? [argumentsDelta(open, open.text)] : [textDelta(open, open.text)];
  }

  #textDone(event: Fields): readonly Fields[] {
    const { open, begin } = this.#ensure(event, 'message');
    return [...begin, ...this.#rest(open, () => said(event['text'], 'text'))];
  }

  #text(event: Fields, type: string, delta: string): readonly Fields[] {
    if (delta === '') return [];
    const { open, begin } = this.#ensure(event, 'message');
    open.text += delta;
    return [...begin, { ...textDelta(open, delta), type }];
  }

  /** A call whose beginning was not understood is complete at its end, which has all of its arguments. */
  #arguments(event: Fields, delta: string): readonly Fields[] {
    const open = this.#find(count(event['output_index']), idOf(event['item_id']), 'function_call');
    if (!open) this.#lostCall = event;
    if (!open || delta === '') return [];
    open.text += delta;
    return [argumentsDelta(open, delta)];
  }

  #thought(event: Fields, type: string): readonly Fields[] {
    const { open, begin } = this.#ensure(event, 'reasoning');
    const summary_index = count(event['summary_index']) ?? count(event['content_index']) ?? 0;
    if (!type.endsWith('.delta')) return [...begin, { type, item_id: open.id, summary_index }];
    const delta = said(event['delta'], 'delta');
    open.hasSummary = true;
    return [...begin, ...thoughtDelta(open, summary_index, delta)];
  }

  #complete(response: Fields, isIncomplete: boolean): readonly Fields[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    if (this.#lostCall)
      throw new UnreadableField('item', this.#lostCall['item'], 'the beginning of the call that `item_id` names');
    // Servers that do not stream put everything here.
    const output = this.#items.length > 0 ? [] : list(response['output'], 'response.output');
    const late = output.flatMap((item, output_index) => this.#done(item, { output_index }));
    const open = this.#items.filter(({ isDone }) => !isDone).flatMap((item) => this.#close(item, {}));
    const reason =
      word(fields(response['incomplete_details'])['reason']) ?? (isIncomplete ? 'max_output_tokens' : undefined);
    const usage = usageOf(response);
    const type = isIncomplete ? 'response.incomplete' : 'response.completed';
    return [
      ...late,
      ...open,
      { type, response: optional({ usage, incomplete_details: reason === undefined ? undefined : { reason } }) },
    ];
  }

  #failed(event: Fields): Fields {
    const response = fields(event['response']);
    const error = errorIn(response) ?? errorIn(event) ?? { message: 'the response failed' };
    const code = idOf(error['code']);
    return {
      type: 'response.failed',
      sequence_number: 0,
      response: { error: optional({ code, message: error['message'] }) },
    };
  }

  #error(event: Fields): Fields {
    const error = errorIn(event) ?? event;
    const message = word(error['message']) ?? JSON.stringify(event);
    const type = word(error['type']) ?? 'server_error';
    return {
      type: 'error',
      sequence_number: 0,
      error: { type, code: idOf(error['code']) ?? type, message, param: null },
    };
  }

  /** The item that an event is about; servers leave out its beginning. */
  #ensure(event: Fields, type: OpenItem['type']): { readonly open: OpenItem; readonly begin: readonly Fields[] } {
    const found = this.#find(count(event['output_index']), idOf(event['item_id']), type);
    if (found) return { open: found, begin: [] };
    const begin = this.#add({ type, id: event['item_id'] }, { output_index: this.#items.length });
    return { open: this.#items.at(-1) as OpenItem, begin };
  }

  #find(index: number | undefined, id: string | undefined, type: OpenItem['type']): OpenItem | undefined {
    const ofType = this.#items.filter((item) => item.type === type);
    return (
      ofType.find((item) => item.id === id) ??
      ofType.find((item) => item.index === index) ??
      (index === undefined || id === undefined ? ofType.findLast(({ isDone }) => !isDone) : undefined)
    );
  }
}

function kindOf(item: Fields): OpenItem['type'] | undefined {
  const type = word(item['type']);
  if (type === 'message' || type === 'reasoning' || type === 'function_call') return type;
  if (type !== undefined) return undefined;
  if (item['call_id'] !== undefined || item['arguments'] !== undefined) return 'function_call';
  if (item['summary'] !== undefined || item['encrypted_content'] !== undefined) return 'reasoning';
  return item['content'] !== undefined || item['role'] !== undefined ? 'message' : undefined;
}

function created(response: Fields): Fields {
  const { id, created_at, model } = response;
  return {
    type: 'response.created',
    response: { id: idOf(id) ?? `${MADE_UP_ID}response`, created_at: count(created_at) ?? 0, model: idOf(model) ?? '' },
  };
}

function phase(item: Fields): unknown {
  return item['phase'] === 'commentary' || item['phase'] === 'final_answer' ? item['phase'] : undefined;
}

function messageText(item: Fields): string {
  const { content } = item;
  if (typeof content === 'string') return content;
  return list(content, 'item.content')
    .map((part) => said(fields(part)['text'] ?? fields(part)['refusal'], 'item.content[].text'))
    .join('');
}

function usageOf(response: Fields): Fields | undefined {
  const usage = counts(response['usage']);
  if (!usage) return undefined;
  return { ...usage, input_tokens: usage['input_tokens'] ?? 0, output_tokens: usage['output_tokens'] ?? 0 };
}

function textDelta({ id }: OpenItem, delta: string): Fields {
  return { type: 'response.output_text.delta', item_id: id, delta };
}

function argumentsDelta({ id, index }: OpenItem, delta: string): Fields {
  return { type: 'response.function_call_arguments.delta', item_id: id, output_index: index, delta };
}

function thoughtDelta({ id }: OpenItem, summary_index: number, delta: string): readonly Fields[] {
  return [{ type: 'response.reasoning_summary_text.delta', item_id: id, summary_index, delta }];
}

function optional(values: Fields): Fields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
