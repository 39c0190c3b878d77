import type { Mender } from './mended-fetch.ts';
import {
  argumentText,
  count,
  counts,
  errorIn,
  type Fields,
  idOf,
  isFields,
  list,
  said,
  spokenFields,
  toolName,
  word,
} from './values.ts';

interface OpenCall {
  readonly index: number;
  readonly id: string;
  named: boolean;
}

/** Completes the chunks of Chat Completions. */
export class CompletionsMender implements Mender {
  readonly #calls: OpenCall[] = [];
  #hasSpoken = false;
  #isFinished = false;

  take(event: Fields): readonly Fields[] {
    const error = errorIn(event);
    if (error) return [{ error }];
    const usage = counts(event['usage']);
    const head = usage ? { usage } : {};
    const choices = list(event['choices'], 'choices').filter(isFirst);
    if (choices.length === 0) return [{ ...head, choices: [] }];
    return choices.map((choice) => ({ ...head, choices: [this.#choice(choice)] }));
  }

  /** A server that says [DONE] has finished, also without a reason. */
  end(isDone: boolean): readonly Fields[] {
    if (!isDone || this.#isFinished || !this.#hasSpoken) return [];
    this.#isFinished = true;
    const finish_reason = this.#calls.length > 0 ? 'tool_calls' : 'stop';
    return [{ choices: [{ delta: {}, finish_reason }] }];
  }

  whole(answer: Fields): readonly Fields[] {
    const mended = this.take(answer);
    return [...mended, ...this.end(true)];
  }

  #choice(choice: Fields): Fields {
    const spoken = choice['delta'] ?? choice['message'];
    const field = choice['delta'] === undefined ? 'choices[0].message' : 'choices[0].delta';
    const delta = spokenFields(spoken, field);
    const calls = list(delta['tool_calls'], `${field}.tool_calls`);
    const reasoning = [delta['reasoning_content'], delta['reasoning']].find((text) => typeof text === 'string');
    const finish = word(choice['finish_reason']) ?? word(choice['finishReason']);
    if (finish !== undefined) this.#isFinished = true;
    const mended: Fields = {
      content: content(delta['content'], `${field}.content`),
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map((call) => this.#call(call, `${field}.tool_calls`)) }),
    };
    if (calls.length > 0 || reasoning || mended['content'] !== '') this.#hasSpoken = true;
    return { delta: mended, ...(finish !== undefined && { finish_reason: finish }) };
  }

  /** A piece of a call. Servers leave out the index, the id, or both; a new name or a new id begins a new call. */
  #call(call: Fields, field: string): Fields {
    // Some put the name and the arguments beside the id.
    const made = call['function'] === undefined ? call : spokenFields(call['function'], `${field}[].function`);
    const id = idOf(call['id']);
    const called = toolName(made['name'], `${field}[].function.name`);
    const open = this.#openCall(count(call['index']), id, called);
    if (called !== undefined) open.named = true;
    const text = argumentText(made['arguments'] ?? made['parameters'], `${field}[].function.arguments`);
    const extra = call['extra_content'];
    return {
      index: open.index,
      id: open.id,
      function: { ...(called !== undefined && { name: called }), arguments: text },
      ...(isFields(extra) && { extra_content: extra }),
    };
  }

  #openCall(index: number | undefined, id: string | undefined, called: string | undefined): OpenCall {
    const byId = id === undefined ? undefined : this.#calls.find((call) => call.id === id);
    if (byId) return byId;
    const known = index === undefined ? this.#calls.at(-1) : this.#calls.find((call) => call.index === index);
    const isNew = !known || (known.named && called !== undefined && (id !== undefined || index === undefined));
    if (!isNew) return known;
    const free = known || index === undefined ? Math.max(-1, ...this.#calls.map((call) => call.index)) + 1 : index;
    const call = { index: free, id: id ?? `call_${free}_${Date.now().toString(36)}`, named: false };
    this.#calls.push(call);
    return call;
  }
}

function isFirst(choice: Fields): boolean {
  return (count(choice['index']) ?? 0) === 0;
}

/** Text, or parts of text and thoughts, of which the SDK knows the kinds. */
function content(value: unknown, field: string): unknown {
  if (!Array.isArray(value)) return said(value, field);
  return value.filter((part) => isFields(part) && typeof part['type'] === 'string');
}
