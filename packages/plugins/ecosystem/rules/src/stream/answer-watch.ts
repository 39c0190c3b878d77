/** Watches a whole answer while it streams. */
import type { AssistantMessage, StreamEvent } from '@tenon/models/api';
import type { Touches } from '@tenon/tools/api';
import { placesOf } from '../touched-files.ts';
import { ArgumentText } from './argument-text.ts';
import { BlockWatch, type Match } from './block-watch.ts';
import type { Source } from './scope.ts';
import type { StreamRule } from './stream-rule.ts';

/** A match, and what kind of output it is in. */
export interface FoundMatch extends Match {
  readonly source: Source;
}

/** What an answer is watched for. */
export interface AnswerHost {
  readonly rules: readonly StreamRule[];
  readonly cwd: string;
  /** What a call with such an unfinished input touches. */
  touches(tool: string, input: Readonly<Record<string, unknown>>): Touches;
  tooSlow(rule: StreamRule): void;
}

interface Block {
  readonly source: Source;
  readonly watch: BlockWatch;
  readonly decode: (delta: string) => string;
  hasText: boolean;
}

type Content = AssistantMessage['content'][number];

/** Follows the events of one answer. A rule matches once in it. */
export class AnswerWatch {
  readonly #host: AnswerHost;
  readonly #blocks = new Map<number, Block>();
  readonly #matched = new Set<StreamRule>();

  constructor(host: AnswerHost) {
    this.#host = host;
  }

  /** What matches with this event, in the order of the text. */
  see(event: StreamEvent): FoundMatch[] {
    if (event.type === 'start') {
      // The call is tried again: what came before is void.
      this.#blocks.clear();
      this.#matched.clear();
      return [];
    }
    if (event.type === 'error') return [];
    if (event.type === 'done') {
      // Whatever the provider did not stream is looked at here.
      return event.message.content.flatMap((content, index) => this.#end(index, content));
    }
    const content = event.partial.content[event.contentIndex];
    if ('delta' in event) return this.#add(event.contentIndex, content, event.delta);
    if (event.type === 'toolcall_end') return this.#end(event.contentIndex, event.toolCall);
    if (event.type === 'text_end') return this.#end(event.contentIndex, { type: 'text', text: event.content });
    if (event.type === 'thinking_end') {
      return this.#end(event.contentIndex, { type: 'thinking', thinking: event.content });
    }
    return [];
  }

  #add(index: number, content: Content | undefined, delta: string): FoundMatch[] {
    if (!content) return [];
    const block = this.#block(index, content);
    block.hasText = true;
    return this.#fresh(block, block.watch.add(block.decode(delta)));
  }

  #end(index: number, content: Content): FoundMatch[] {
    const block = this.#block(index, content);
    const rest = block.hasText ? '' : block.decode(wholeText(content));
    return this.#fresh(block, [...block.watch.add(rest), ...block.watch.end()]);
  }

  #fresh({ source }: Block, matches: readonly Match[]): FoundMatch[] {
    return matches.flatMap(({ at, rules }) => {
      const fresh = rules.filter((rule) => !this.#matched.has(rule));
      for (const rule of fresh) this.#matched.add(rule);
      return fresh.length > 0 ? [{ at, source, rules: fresh }] : [];
    });
  }

  #block(index: number, content: Content): Block {
    const known = this.#blocks.get(index);
    if (known) return known;
    const source: Source = content.type === 'toolCall' ? 'tool' : content.type;
    const tool = content.type === 'toolCall' ? content.name : '';
    const reader = source === 'tool' ? new ArgumentText() : undefined;
    const { cwd, tooSlow } = this.#host;
    const rules = this.#host.rules.filter((rule) => rule.watches(source, tool) && !this.#matched.has(rule));
    const pathsAt = (length: number) => {
      const input = reader?.inputAt(length) ?? {};
      return placesOf(this.#host.touches(tool, input), input, cwd);
    };
    const watch = new BlockWatch({
      source,
      rules,
      callAt: (length) => ({ name: tool, paths: pathsAt(length) }),
      tooSlow,
    });
    const decode = rules.length === 0 ? () => '' : (delta: string) => reader?.add(delta) ?? delta;
    const block = { source, watch, decode, hasText: false };
    this.#blocks.set(index, block);
    return block;
  }
}

function wholeText(content: Content): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'thinking':
      return content.thinking;
    case 'toolCall':
      return JSON.stringify(content.arguments);
  }
}
