/** Servers with a window: they count tokens in their own way, and refuse what does not fit in their own words. */
import type { Reply } from './script.ts';
import type { RecordedRequest } from './server.ts';

/** What a server knows when it refuses. */
interface Overflow {
  /** The tokens of the request, without the answer. */
  readonly prompt: number;
  /** How long the answer may be, as the request says. */
  readonly answer: number;
  readonly window: number;
}

/** How a server refuses. */
interface Refuser {
  /** True where the limit for the answer counts, too. */
  readonly isStrict?: boolean;
  body(overflow: Overflow): object;
}

const invalid = (message: string) => ({ error: { message, type: 'invalid_request_error', code: null, param: null } });

/** Who refuses, and how: status 400 with the bodies that these servers send. */
export const REFUSERS = {
  'llama.cpp': {
    body: ({ prompt, window }) => ({
      error: {
        code: 400,
        message: `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`,
        type: 'exceed_context_size_error',
        n_prompt_tokens: prompt,
        n_ctx: window,
      },
    }),
  },
  openai: {
    body: ({ prompt, window }) => ({
      error: {
        message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    }),
  },
  'openai, without numbers': {
    body: () => invalid('Your input exceeds the context window of this model. Please adjust your input and try again.'),
  },
  anthropic: {
    body: ({ prompt, window }) => ({
      type: 'error',
      error: { type: 'invalid_request_error', message: `prompt is too long: ${prompt} tokens > ${window} maximum` },
    }),
  },
  'anthropic, with the answer': {
    isStrict: true,
    body: ({ prompt, answer, window }) => ({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: `input length and \`max_tokens\` exceed context limit: ${prompt} + ${answer} > ${window}, decrease input length or \`max_tokens\` and try again`,
      },
    }),
  },
  vllm: {
    isStrict: true,
    body: ({ prompt, answer, window }) => ({
      object: 'error',
      message: `This model's maximum context length is ${window} tokens. However, you requested ${prompt + answer} tokens (${prompt} in the messages, ${answer} in the completion). Please reduce the length of the messages or completion.`,
      type: 'BadRequestError',
      param: null,
      code: 400,
    }),
  },
  'vllm, newer': {
    isStrict: true,
    body: ({ prompt, answer, window }) => ({
      error: {
        message: `'max_tokens' or 'max_completion_tokens' is too large: ${answer}. This model's maximum context length is ${window} tokens and your request has ${prompt} input tokens (${answer} > ${window} - ${prompt}).`,
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    }),
  },
  ollama: {
    body: ({ prompt, window }) =>
      invalid(`prompt too long; exceeded max context length by ${Math.max(1, prompt - window)} tokens`),
  },
  'lm studio': {
    body: () =>
      invalid(
        'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
      ),
  },
} as const satisfies Readonly<Record<string, Refuser>>;

/** How texts are counted: by length, by word pieces and single digits, or by bytes. */
export const COUNTERS = {
  'a token for 2 characters': (text: string) => Math.ceil(text.length / 2),
  'a token for 5 characters': (text: string) => Math.ceil(text.length / 5),
  'word pieces': (text: string) => text.match(/\p{L}{1,4}|\d|[^\s\p{L}\d]/gu)?.length ?? 0,
  'bytes, in threes': (text: string) => Math.ceil(Buffer.byteLength(text) / 3),
} as const;

/** A server with a window. */
export interface WindowedServer {
  readonly window: number;
  readonly refuser: keyof typeof REFUSERS;
  readonly counter: keyof typeof COUNTERS;
  /** True where the model's template leaves the tools out. */
  readonly ignoresTools?: boolean;
  /** What it would say to a request. What is longer than it may be is cut off. */
  answer(request: RecordedRequest): string;
  /** A tool that it calls instead. */
  call?(request: RecordedRequest): { readonly name: string } | undefined;
}

/** Tokens between messages, as chat templates put them there. */
const MESSAGE = 4;

/** How many tokens a request has for this server. */
export function countRequest(
  { counter, ignoresTools = false }: Pick<WindowedServer, 'counter' | 'ignoresTools'>,
  { body }: Pick<RecordedRequest, 'body'>,
): number {
  const { messages, system, tools } = body as Record<string, unknown>;
  const list = Array.isArray(messages) ? (messages as unknown[]) : [];
  const texts = [system, ...list, ignoresTools ? '' : tools].map((part) => wordsIn(part).join('\n'));
  return texts.reduce((sum, text) => sum + COUNTERS[counter](text), MESSAGE * (list.length + 1));
}

/** All texts in a value, names of fields included where they are not part of the protocol. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsIn) : [];
}

/** Replies as such a server does; for {@link FakeModels.otherwise}. */
export function windowed(server: WindowedServer): (request: RecordedRequest) => Reply {
  const { window, counter } = server;
  const refuser: Refuser = REFUSERS[server.refuser];
  const count = COUNTERS[counter];
  let calls = 0;
  return (request) => {
    const prompt = countRequest(server, request);
    const { max_tokens: limit } = request.body as { max_tokens?: number };
    const answer = limit ?? window;
    if (prompt + (refuser.isStrict ? answer : 0) > window)
      return { status: 400, body: JSON.stringify(refuser.body({ prompt, answer, window })) };
    const call = server.call?.(request);
    if (call) {
      const usage = { input: prompt, output: 10 };
      return { content: [{ type: 'toolCall', id: `call_${++calls}`, arguments: {}, ...call }], usage };
    }
    const room = Math.max(1, Math.min(answer, window - prompt));
    const wanted = server.answer(request);
    const isWhole = count(wanted) <= room;
    const text = isWhole ? wanted : cutTo(wanted, room, count);
    return {
      content: [{ type: 'text', text }],
      stopReason: isWhole ? 'stop' : 'length',
      usage: { input: prompt, output: count(text) },
      deltaSize: 4_000,
    };
  };
}

/** The longest beginning of a text that has no more than so many tokens. */
function cutTo(text: string, tokens: number, count: (text: string) => number): string {
  let [fits, not] = [0, text.length];
  while (not - fits > 1) {
    const middle = Math.floor((fits + not) / 2);
    if (count(text.slice(0, middle)) <= tokens) fits = middle;
    else not = middle;
  }
  return text.slice(0, Math.max(1, fits));
}
