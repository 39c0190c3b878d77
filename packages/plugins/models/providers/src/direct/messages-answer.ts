import type { AnswerBuilder, StreamEvent } from '@tenon/models/api';
import type { Ending } from '../finish.ts';
import { count, type Fields, fields, word } from '../mending/values.ts';
import type { AnswerReader } from './protocol.ts';

const REASONS: Readonly<Record<string, Ending['reason']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
};

/** What the events of Anthropic's Messages mean. A mender has completed them. */
export class MessagesReader implements AnswerReader {
  readonly #answer: AnswerBuilder;
  /** The calls of which no argument has come. */
  readonly #silent = new Set<string>();
  #usage: Fields = {};
  #reason: string | undefined;

  constructor(answer: AnswerBuilder) {
    this.#answer = answer;
  }

  take(event: Fields, out: StreamEvent[]): Ending | undefined {
    const key = String(event['index']);
    switch (event['type']) {
      case 'content_block_delta':
        return this.#delta(key, event['delta'] as Fields, out);
      case 'content_block_start':
        return this.#begin(key, event['content_block'] as Fields, out);
      case 'content_block_stop':
        // A call without arguments is one with none.
        if (this.#silent.delete(key)) out.push(...this.#answer.delta(key, '{}'));
        out.push(...this.#answer.end(key));
        return;
      case 'message_start':
        this.#usage = fields(fields(event['message'])['usage']);
        return;
      case 'message_delta':
        // Servers that know better by the end say so; what they do not repeat stays.
        this.#usage = { ...this.#usage, ...fields(event['usage']) };
        this.#reason = word(fields(event['delta'])['stop_reason']) ?? this.#reason;
        return;
      case 'message_stop':
        return { reason: REASONS[this.#reason ?? ''] ?? 'other', said: this.#reason, tokens: tokensOf(this.#usage) };
      case 'error':
        throw event['error'];
      default:
    }
  }

  /** It has an end of its own: without it, the answer is not whole. */
  end(): undefined {
    return;
  }

  #begin(key: string, block: Fields, out: StreamEvent[]): undefined {
    const answer = this.#answer;
    switch (block['type']) {
      case 'text':
        out.push(answer.beginText(key));
        return;
      case 'thinking':
        out.push(answer.beginThinking(key));
        return;
      case 'redacted_thinking': {
        out.push(answer.beginThinking(key));
        const data = word(block['data']);
        if (data !== undefined) answer.sign(key, data, { redacted: true });
        return;
      }
      default:
        this.#silent.add(key);
        out.push(answer.beginToolCall(key, { id: block['id'] as string, name: block['name'] as string }));
    }
  }

  #delta(key: string, delta: Fields, out: StreamEvent[]): undefined {
    switch (delta['type']) {
      case 'text_delta':
        out.push(...this.#answer.delta(key, delta['text'] as string));
        return;
      case 'thinking_delta':
        out.push(...this.#answer.delta(key, delta['thinking'] as string));
        return;
      case 'input_json_delta': {
        const text = delta['partial_json'] as string;
        if (text !== '') this.#silent.delete(key);
        out.push(...this.#answer.delta(key, text));
        return;
      }
      default: {
        // The signature may come in several deltas.
        const signature = word(delta['signature']);
        if (signature !== undefined) this.#answer.sign(key, signature, { append: true });
      }
    }
  }
}

function tokensOf(usage: Fields): Ending['tokens'] {
  const reasoning = count(fields(usage['output_tokens_details'])['thinking_tokens']);
  return {
    input: count(usage['input_tokens']) ?? 0,
    output: count(usage['output_tokens']) ?? 0,
    cacheRead: count(usage['cache_read_input_tokens']) ?? 0,
    cacheWrite: count(usage['cache_creation_input_tokens']) ?? 0,
    ...(reasoning && { reasoning }),
  };
}
