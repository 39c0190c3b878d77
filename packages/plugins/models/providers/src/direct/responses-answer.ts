import type { AnswerBuilder, StreamEvent } from '@tenon/models/api';
import type { Ending } from '../finish.ts';
import { MADE_UP_ID } from '../mending/openai-responses.ts';
import { count, type Fields, fields, word } from '../mending/values.ts';
import type { AnswerReader } from './protocol.ts';

/** A thought comes in parts, which are blocks of their own. */
interface Thought {
  readonly encrypted: string | undefined;
  /** The parts that are open; true for those that may end when another part begins. */
  readonly parts: Map<number, boolean>;
}

/** What the events of OpenAI's Responses mean. A mender has completed them. */
export class ResponsesReader implements AnswerReader {
  readonly #answer: AnswerBuilder;
  readonly #thoughts = new Map<string, Thought>();
  #refuses = false;

  constructor(answer: AnswerBuilder) {
    this.#answer = answer;
  }

  take(event: Fields, out: StreamEvent[]): Ending | undefined {
    const id = event['item_id'] as string;
    const at = event['summary_index'] as number;
    const delta = event['delta'] as string;
    switch (event['type']) {
      case 'response.output_text.delta':
        out.push(...this.#answer.delta(id, delta));
        return;
      case 'response.refusal.delta':
        this.#refuses = true;
        out.push(...this.#answer.delta(id, delta));
        return;
      case 'response.function_call_arguments.delta':
        out.push(...this.#answer.delta(callKey(event), delta));
        return;
      case 'response.reasoning_summary_text.delta':
        if (!this.#answer.isOpen(thoughtKey(id, at))) this.#nextPart(id, at, out);
        out.push(...this.#answer.delta(thoughtKey(id, at), delta));
        return;
      case 'response.reasoning_summary_part.added':
        return this.#nextPart(id, at, out);
      case 'response.reasoning_summary_part.done':
        this.#thoughts.get(id)?.parts.set(at, true);
        return;
      case 'response.output_item.added':
        return this.#begin(fields(event['item']), event, out);
      case 'response.output_item.done':
        return this.#end(fields(event['item']), event, out);
      case 'response.completed':
      case 'response.incomplete':
        return this.#ending(fields(event['response']));
      case 'response.failed':
        throw { error: fields(event['response'])['error'] };
      case 'error':
        throw event;
      default:
    }
  }

  /** It has an end of its own: without it, the answer is not whole. */
  end(): undefined {
    return;
  }

  #begin(item: Fields, event: Fields, out: StreamEvent[]): undefined {
    const id = item['id'] as string;
    const answer = this.#answer;
    if (item['type'] === 'message') {
      out.push(answer.beginText(id));
      if (isOwn(id)) answer.sign(id, id);
    } else if (item['type'] === 'reasoning') {
      const encrypted = word(item['encrypted_content']);
      this.#thoughts.set(id, { encrypted, parts: new Map([[0, false]]) });
      this.#beginPart(id, 0, encrypted, out);
    } else
      out.push(answer.beginToolCall(callKey(event), { id: item['call_id'] as string, name: item['name'] as string }));
  }

  #end(item: Fields, event: Fields, out: StreamEvent[]): undefined {
    const id = item['id'] as string;
    if (item['type'] === 'message') out.push(...this.#answer.end(id));
    else if (item['type'] === 'function_call') out.push(...this.#answer.end(callKey(event)));
    else {
      for (const at of this.#thoughts.get(id)?.parts.keys() ?? []) {
        const key = thoughtKey(id, at);
        this.#sign(key, id, word(item['encrypted_content']));
        out.push(...this.#answer.end(key));
      }
      this.#thoughts.delete(id);
    }
  }

  #nextPart(id: string, at: number, out: StreamEvent[]): undefined {
    const thought = this.#thoughts.get(id);
    if (!thought || at === 0) return;
    for (const [earlier, mayEnd] of thought.parts) {
      if (!mayEnd) continue;
      thought.parts.delete(earlier);
      out.push(...this.#answer.end(thoughtKey(id, earlier)));
    }
    thought.parts.set(at, false);
    this.#beginPart(id, at, thought.encrypted, out);
  }

  #beginPart(id: string, at: number, encrypted: string | undefined, out: StreamEvent[]): void {
    const key = thoughtKey(id, at);
    out.push(this.#answer.beginThinking(key));
    this.#sign(key, id, encrypted);
  }

  #sign(key: string, id: string, encrypted_content: string | undefined): void {
    if (encrypted_content === undefined) return;
    const item = { type: 'reasoning', ...(isOwn(id) && { id }), encrypted_content, summary: [] };
    this.#answer.sign(key, JSON.stringify(item));
  }

  #ending(response: Fields): Ending {
    const said = word(fields(response['incomplete_details'])['reason']);
    return { reason: this.#reason(said), said, tokens: tokensOf(fields(response['usage'])) };
  }

  #reason(said: string | undefined): Ending['reason'] {
    if (said === 'max_output_tokens') return 'length';
    if (said === 'content_filter') return 'refused';
    if (said !== undefined || this.#answer.hasToolCall) return 'stop';
    return this.#refuses ? 'refused' : 'stop';
  }
}

/** True for an id of the server; one that the mender made up means nothing to it. */
function isOwn(id: string): boolean {
  return !id.startsWith(MADE_UP_ID);
}

function callKey(event: Fields): string {
  return `call ${event['output_index'] as number}`;
}

function thoughtKey(id: string, at: number): string {
  return `${id} ${at}`;
}

function tokensOf(usage: Fields): Ending['tokens'] {
  const input = fields(usage['input_tokens_details']);
  const cacheRead = count(input['cached_tokens']) ?? 0;
  const cacheWrite = count(input['cache_write_tokens']) ?? 0;
  const reasoning = count(fields(usage['output_tokens_details'])['reasoning_tokens']) ?? 0;
  return {
    input: Math.max(0, (count(usage['input_tokens']) ?? 0) - cacheRead - cacheWrite),
    output: count(usage['output_tokens']) ?? 0,
    cacheRead,
    cacheWrite,
    ...(reasoning && { reasoning }),
  };
}
