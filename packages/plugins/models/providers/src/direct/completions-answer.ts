import type { AnswerBuilder, StreamEvent } from '@tenon/models/api';
import type { Ending } from '../finish.ts';
import { count, type Fields, fields, isFields, UnreadableField, word } from '../mending/values.ts';
import type { AnswerReader } from './protocol.ts';

const REASONS: Readonly<Record<string, Ending['reason']>> = {
  stop: 'stop',
  tool_calls: 'stop',
  function_call: 'stop',
  length: 'length',
  content_filter: 'refused',
};

interface Call {
  readonly key: string;
  readonly id: string;
  readonly index: number;
  isBegun: boolean;
  /** Arguments that came before the name. */
  early: string;
  signature: string | undefined;
}

/** What the chunks of Chat Completions mean. A mender has completed them. */
export class CompletionsReader implements AnswerReader {
  readonly #answer: AnswerBuilder;
  readonly #calls = new Map<number, Call>();
  #usage: Fields | undefined;
  #reason: string | undefined;

  constructor(answer: AnswerBuilder) {
    this.#answer = answer;
  }

  take(event: Fields, out: StreamEvent[]): undefined {
    if (event['error'] !== undefined) throw event['error'];
    if (isFields(event['usage'])) this.#usage = event['usage'];
    const [choice] = event['choices'] as readonly Fields[];
    if (!choice) return;
    this.#reason = word(choice['finish_reason']) ?? this.#reason;
    const delta = fields(choice['delta']);
    const thought = word(delta['reasoning_content']);
    if (thought !== undefined) this.#say('thinking', thought, out);
    const { content } = delta;
    if (typeof content === 'string') {
      if (content !== '') this.#say('text', content, out);
    } else if (Array.isArray(content)) for (const part of content as Fields[]) this.#part(part, out);
    const calls = delta['tool_calls'];
    if (!Array.isArray(calls)) return;
    this.#close('thinking', out);
    for (const call of calls as Fields[]) this.#call(call, out);
  }

  end(out: StreamEvent[]): Ending | undefined {
    if (this.#reason === undefined) return undefined;
    this.#close('thinking', out);
    this.#close('text', out);
    for (const call of [...this.#calls.values()].sort((a, b) => a.index - b.index)) this.#endCall(call, out);
    return { reason: REASONS[this.#reason] ?? 'other', said: this.#reason, tokens: tokensOf(this.#usage) };
  }

  /** Text ends thoughts, and thoughts end text. */
  #say(kind: 'text' | 'thinking', delta: string, out: StreamEvent[]): void {
    const answer = this.#answer;
    if (!answer.isOpen(kind)) {
      this.#close(kind === 'text' ? 'thinking' : 'text', out);
      out.push(kind === 'text' ? answer.beginText(kind) : answer.beginThinking(kind));
    }
    out.push(...answer.delta(kind, delta));
  }

  #close(kind: 'text' | 'thinking', out: StreamEvent[]): void {
    if (this.#answer.isOpen(kind)) out.push(...this.#answer.end(kind));
  }

  /** Mistral puts thoughts among the text. */
  #part(part: Fields, out: StreamEvent[]): void {
    const text = part['type'] === 'text' ? word(part['text']) : undefined;
    if (text !== undefined) return this.#say('text', text, out);
    if (part['type'] !== 'thinking' || !Array.isArray(part['thinking'])) return;
    const thought = part['thinking'].map((piece) => word(fields(piece)['text']) ?? '').join('');
    if (thought !== '') this.#say('thinking', thought, out);
  }

  #call(piece: Fields, out: StreamEvent[]): void {
    const index = piece['index'] as number;
    const made = fields(piece['function']);
    let call = this.#calls.get(index);
    if (!call) {
      call = {
        key: `call ${index}`,
        id: piece['id'] as string,
        index,
        isBegun: false,
        early: '',
        signature: undefined,
      };
      this.#calls.set(index, call);
    }
    call.signature ??= word(fields(fields(piece['extra_content'])['google'])['thought_signature']);
    const text = made['arguments'] as string;
    if (call.isBegun) return void out.push(...this.#answer.delta(call.key, text));
    call.early += text;
    const name = word(made['name']);
    if (name === undefined || name.trim() === '') return;
    call.isBegun = true;
    out.push(this.#answer.beginToolCall(call.key, { id: call.id, name }), ...this.#answer.delta(call.key, call.early));
  }

  #endCall({ key, isBegun, signature }: Call, out: StreamEvent[]): void {
    if (!isBegun) {
      const field = 'choices[0].delta.tool_calls[].function.name';
      throw new UnreadableField(field, undefined, 'the name of a tool');
    }
    if (signature !== undefined) this.#answer.sign(key, signature);
    out.push(...this.#answer.end(key));
  }
}

function tokensOf(usage: Fields | undefined): Ending['tokens'] {
  const cacheRead = count(fields(usage?.['prompt_tokens_details'])['cached_tokens']) ?? 0;
  const reasoning = count(fields(usage?.['completion_tokens_details'])['reasoning_tokens']) ?? 0;
  return {
    input: Math.max(0, (count(usage?.['prompt_tokens']) ?? 0) - cacheRead),
    output: count(usage?.['completion_tokens']) ?? 0,
    cacheRead,
    cacheWrite: 0,
    ...(reasoning && { reasoning }),
  };
}
