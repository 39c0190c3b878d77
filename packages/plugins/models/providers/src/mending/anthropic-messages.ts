import type { Mender } from './mended-fetch.ts';
import {
  argumentText,
  count,
  counts,
  errorIn,
  type Fields,
  fields,
  idOf,
  isFields,
  said,
  spokenFields,
  toolName,
  UnreadableField,
  word,
} from './values.ts';

/** The kinds of blocks that we read, with the text that they begin with and the kind and field of their deltas. */
const BLOCKS: Readonly<Record<string, { readonly delta: string; readonly field: string }>> = {
  text: { delta: 'text_delta', field: 'text' },
  thinking: { delta: 'thinking_delta', field: 'thinking' },
  tool_use: { delta: 'input_json_delta', field: 'partial_json' },
};

/** Completes the events of Anthropic Messages. */
export class MessagesMender implements Mender {
  /** The kind of each block that has begun and not ended; undefined for kinds that we do not read. */
  readonly #open = new Map<number, string | undefined>();
  #next = 0;
  #hasStarted = false;
  #hasReason = false;
  #hasCall = false;
  #isStopped = false;

  take(event: Fields, sseName: string | undefined): readonly Fields[] {
    const error = errorIn(event);
    if (error) return [{ type: 'error', error: { ...error, type: word(error['type']) ?? 'api_error' } }];
    const type = word(event['type']) ?? sseName;
    switch (type) {
      case 'message_start':
        return this.#start(fields(event['message']));
      case 'content_block_start':
        return [...this.#start({}), ...this.#beginBlock(event)];
      case 'content_block_delta':
        return [...this.#start({}), ...this.#delta(event)];
      case 'content_block_stop':
        return this.#endBlock(count(event['index']) ?? this.#current());
      case 'message_delta':
        return [...this.#start({}), this.#messageDelta(event)];
      case 'message_stop':
        return this.#stop();
      case undefined:
        throw new UnreadableField('type', event['type'], 'the name of an event');
      default:
        return []; // A ping, or an event of a later version of the protocol.
    }
  }

  /** The end without `message_stop` counts when a reason was given. */
  end(isDone: boolean): readonly Fields[] {
    return this.#hasReason || (isDone && this.#hasStarted) ? this.#stop() : [];
  }

  #start(message: Fields): readonly Fields[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    const usage = counts(message['usage']) ?? {};
    const [id, model] = [idOf(message['id']), idOf(message['model'])];
    return [
      {
        type: 'message_start',
        message: {
          ...(id && { id }),
          ...(model && { model }),
          usage: { ...usage, input_tokens: usage['input_tokens'] ?? 0 },
        },
      },
    ];
  }

  #beginBlock(event: Fields): readonly Fields[] {
    const block = spokenFields(event['content_block'], 'content_block');
    const index = count(event['index']) ?? this.#next;
    const type = word(block['type']) ?? kindOf(block);
    this.#next = Math.max(this.#next, index + 1);
    this.#open.set(index, type in BLOCKS || type === 'redacted_thinking' ? type : undefined);
    const begun = (content_block: Fields) => ({ type: 'content_block_start', index, content_block });
    if (type === 'redacted_thinking') return [begun({ type, data: word(block['data']) ?? '' })];
    if (type === 'tool_use') return this.#beginCall(index, block, begun);
    const known = BLOCKS[type];
    if (!known) return [];
    const text = word(block[known.field]) ?? '';
    return [begun({ type, [known.field]: '' }), ...(text === '' ? [] : [deltaOf(index, known, text)])];
  }

  /** Servers that do not stream arguments send them with the beginning. */
  #beginCall(index: number, block: Fields, begun: (block: Fields) => Fields): readonly Fields[] {
    const called = toolName(block['name'], 'content_block.name');
    if (called === undefined) throw new UnreadableField('content_block.name', block['name'], 'the name of a tool');
    this.#hasCall = true;
    const { input } = block;
    const text = isFields(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
    const id = idOf(block['id']) ?? `toolu_${index}_${Date.now().toString(36)}`;
    const start = begun({ type: 'tool_use', id, name: called, input: {} });
    return text === '' ? [start] : [start, deltaOf(index, { delta: 'input_json_delta', field: 'partial_json' }, text)];
  }

  #delta(event: Fields): readonly Fields[] {
    const delta = spokenFields(event['delta'], 'delta');
    const index = count(event['index']) ?? this.#current();
    const [kind, known] = Object.entries(BLOCKS).find(
      ([, { delta: type, field }]) => delta['type'] === type || (word(delta['type']) === undefined && field in delta),
    ) ?? [undefined, undefined];
    if (delta['type'] === 'signature_delta' || (known === undefined && 'signature' in delta)) {
      const signature = word(delta['signature']) ?? '';
      return this.#open.get(index) === 'thinking'
        ? [deltaOf(index, { delta: 'signature_delta', field: 'signature' }, signature)]
        : [];
    }
    // Citations and the like: nothing that the answer is made of.
    if (!known) return [];
    const text =
      kind === 'tool_use'
        ? argumentText(delta[known.field], `delta.${known.field}`)
        : said(delta[known.field], `delta.${known.field}`);
    const begin = this.#open.has(index) ? [] : this.#beginBlock({ index, content_block: { type: kind } });
    const open = this.#open.get(index);
    if (open === undefined) return [];
    if (open !== kind) throw new UnreadableField('delta.type', delta['type'], `a delta of a block of the type ${open}`);
    return [...begin, deltaOf(index, known, text)];
  }

  #endBlock(index: number): readonly Fields[] {
    const isRead = this.#open.get(index) !== undefined;
    this.#open.delete(index);
    return isRead ? [{ type: 'content_block_stop', index }] : [];
  }

  #messageDelta(event: Fields): Fields {
    const delta = fields(event['delta']);
    const usage = counts(event['usage']) ?? {};
    const reason = word(delta['stop_reason']);
    if (reason !== undefined) this.#hasReason = true;
    const details = delta['stop_details'];
    return {
      type: 'message_delta',
      delta: {
        ...(reason !== undefined && { stop_reason: reason }),
        ...(isFields(details) && { stop_details: details }),
      },
      usage: { ...usage, output_tokens: usage['output_tokens'] ?? 0 },
    };
  }

  #stop(): readonly Fields[] {
    if (this.#isStopped) return [];
    this.#isStopped = true;
    const ends = [...this.#open.keys()].flatMap((index) => this.#endBlock(index));
    const stop_reason = this.#hasCall ? 'tool_use' : 'end_turn';
    const reason = this.#hasReason ? [] : [this.#messageDelta({ delta: { stop_reason } })];
    return [...this.#start({}), ...ends, ...reason, { type: 'message_stop' }];
  }

  #current(): number {
    return [...this.#open.keys()].at(-1) ?? this.#next;
  }
}

/** The kind of a block that does not name it. */
function kindOf(block: Fields): string {
  if (block['name'] !== undefined) return 'tool_use';
  return block['thinking'] === undefined ? 'text' : 'thinking';
}

function deltaOf(index: number, { delta, field }: { delta: string; field: string }, text: string): Fields {
  return { type: 'content_block_delta', index, delta: { type: delta, [field]: text } };
}
