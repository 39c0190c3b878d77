/** How far the estimate of a conversation's size is from what its model counts. Learned from every answer and every refusal. */
import type { AssistantMessage, Model, ModelRequest } from '@tenon/models/api';
import type { AgentMessage } from '@tenon/sessions/api';
import { estimateMessage, estimateText } from '../tokens.ts';
import { overflowNumbers } from './overflow-numbers.ts';

/** What is sent beside the messages. */
export type Surrounding = Pick<ModelRequest, 'model' | 'systemPrompt' | 'tools'>;

/** The estimate is on the safe side for code: it is never lowered. Rare scripts have a few tokens for each character. */
const RATIOS = [1, 12] as const;
/** Templates of some servers leave the tools out, so that hardly anything of the overhead may be left. */
const LEAST_OVERHEAD = 0.05;
/** A server that claims to take less is not believed: nothing could be said to it. */
const LEAST_WINDOW = 512;
/** The answer always gets this part of the window, at most so many tokens. */
const LEAST_ANSWER = 8;
const ENOUGH_ANSWER = 4096;
/** For what templates of servers put between messages. */
const SLACK = 32;

/** The schemas of tools are sent with every request and do not change. */
const schemaSizes = new WeakMap<object, number>();

/**
 * Tokens as the model in use counts them. "Raw" sizes are estimates; times `ratio` they are about what the model counts for
 * messages. System prompt and tools have a ratio of their own.
 */
export class TokenGauge {
  /** How many requests in a row were refused as too long. */
  refusals = 0;
  #ratio: number = RATIOS[0];
  #overheadRatio = 1;
  /** The raw size of system prompt and tools. */
  #rawOverhead = 0;
  #model = '';
  #limit: number | undefined;
  #isTaught = false;
  /** The raw size of the messages of the last request. */
  #sent = 0;

  /** Whether it knows what goes with every request. */
  get isSurrounded(): boolean {
    return this.#model !== '';
  }

  get ratio(): number {
    return this.#ratio;
  }

  get #overhead(): number {
    return this.#rawOverhead * this.#overheadRatio;
  }

  /** How much the model takes: less than its description says where a server is started with less. */
  window({ provider, id, contextWindow }: Model): number {
    return this.#model === `${provider}/${id}` ? Math.min(contextWindow, this.#limit ?? contextWindow) : contextWindow;
  }

  /** Notes what goes with every request. A session that goes on in another process says itself how its model counts. */
  surround({ model, systemPrompt, tools }: Surrounding, messages: readonly AgentMessage[] = [], freshFrom = 0): void {
    const name = `${model.provider}/${model.id}`;
    if (name !== this.#model) {
      this.#model = name;
      this.#ratio = RATIOS[0];
      this.#overheadRatio = 1;
      this.#limit = undefined;
      this.#isTaught = false;
    }
    this.#rawOverhead = tools.reduce((sum, tool) => sum + toolSize(tool), estimateText(systemPrompt));
    if (this.#isTaught) return;
    const at = messages.findLastIndex((message) => message.role === 'assistant' && promptTokens(message) > 0);
    const last = at < freshFrom ? undefined : messages[at];
    if (last?.role !== 'assistant' || `${last.provider}/${last.model}` !== name) return;
    this.#learn(promptTokens(last), rawSize(messages.slice(0, at)));
  }

  /** Notes a request that goes out. */
  sent(request: Surrounding & Pick<ModelRequest, 'messages'>): void {
    this.surround(request);
    this.#sent = rawSize(request.messages);
  }

  /** Learns from an answer. */
  answered(message: AssistantMessage): void {
    if (message.stopReason === 'error' || message.stopReason === 'aborted') return;
    this.refusals = 0;
    const counted = promptTokens(message);
    if (counted > 0 && `${message.provider}/${message.model}` === this.#model) this.#learn(counted, this.#sent);
  }

  /**
   * Learns from a refusal: what the server says, or at least that the request was bigger than the window. True when the request
   * alone would have fit: a shorter answer is enough then.
   */
  refused(words: string, model: Model): boolean {
    this.refusals++;
    const { counted, limit, excess = 0 } = overflowNumbers(words);
    if (limit !== undefined && limit >= LEAST_WINDOW) this.#limit = limit;
    const window = this.window(model);
    if (counted !== undefined) this.#learn(counted, this.#sent);
    else this.#learn(Math.max(window + excess, this.request(this.#sent)), this.#sent);
    return counted !== undefined && counted + leastAnswer(window) + SLACK <= window;
  }

  /** About how many tokens the next request has. What providers reported before `freshFrom` counts no more. */
  size(messages: readonly AgentMessage[], freshFrom: number): number {
    const at = messages.findLastIndex((message) => message.role === 'assistant' && message.usage.totalTokens > 0);
    const last = at < freshFrom ? undefined : messages[at];
    if (last?.role !== 'assistant') return this.request(rawSize(messages));
    return last.usage.totalTokens + Math.ceil(rawSize(messages.slice(at + 1)) * this.#ratio);
  }

  /** How many tokens a request with messages of this raw size has, about. */
  request(raw: number): number {
    return Math.ceil(this.#overhead + raw * this.#ratio);
  }

  /** The raw size of messages whose request has so many tokens. */
  room(tokens: number): number {
    return Math.max(0, (tokens - this.#overhead) / this.#ratio);
  }

  /** How long the answer may be, where the provider's own guess would be too high. */
  answerLimit(model: Model): number | undefined {
    if (!this.#isTaught) return undefined;
    const window = this.window(model);
    const least = leastAnswer(window);
    const room = this.refusals > 1 ? least : Math.floor(window - this.request(this.#sent) - SLACK);
    return room >= model.maxTokens ? undefined : Math.max(least, room);
  }

  /** Scales both ratios to what was counted; what messages cannot explain is the overhead's. */
  #learn(counted: number, raw: number): void {
    const expected = this.#overhead + raw * this.#ratio;
    if (expected <= 0) return;
    this.#ratio = Math.min(RATIOS[1], Math.max(RATIOS[0], (this.#ratio * counted) / expected));
    if (this.#rawOverhead > 0)
      this.#overheadRatio = Math.max(LEAST_OVERHEAD, (counted - raw * this.#ratio) / this.#rawOverhead);
    this.#isTaught = true;
  }
}

/** The raw size of messages. */
export function rawSize(messages: readonly AgentMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

function leastAnswer(window: number): number {
  return Math.min(ENOUGH_ANSWER, Math.ceil(window / LEAST_ANSWER));
}

function promptTokens({ usage }: AssistantMessage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

function toolSize({ name, description, parameters }: ModelRequest['tools'][number]): number {
  const known = schemaSizes.get(parameters) ?? estimateText(JSON.stringify(parameters));
  schemaSizes.set(parameters, known);
  return known + estimateText(name) + estimateText(description);
}
