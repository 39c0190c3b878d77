import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Mender } from './mending/mended-fetch.ts';
import type { ModelRequest, ThinkingContent, ThinkingLevel, ToolCallContent } from '@tenon/models/api';

/** JSON objects, as the SDK wants its options. */
export type Options = SharedV3ProviderOptions[string];

/** Provider data that belongs to a block, as the SDK gives it. */
export type Metadata = Readonly<Record<string, unknown>> | undefined;

/** The part of a request that says where it goes. */
export type ModelTarget = Pick<ModelRequest, 'model'> & {
  readonly apiKey: ModelRequest['apiKey'];
  readonly headers: ModelRequest['headers'];
};

/** A request with the limit of its answer that holds. */
export type LimitedRequest = ModelRequest & { readonly maxTokens: number };

/** How a conversation becomes the prompt of one protocol. */
export interface PromptRules {
  /** The name under which options stand in the prompt. */
  readonly optionsKey: string;
  /** Marks the message up to which the provider should cache; absent where it caches by itself. */
  cacheMark?(request: ModelRequest): Options | undefined;
  /** Makes an id that came from another provider acceptable. */
  toolCallId?(id: string): string;
  /** Options for a thought that goes back; nothing when it cannot go back. */
  returnThinking(block: ThinkingContent, request: ModelRequest): Options | undefined;
  /** Options for a call that goes back. */
  returnToolCall?(block: ToolCallContent): Options | undefined;
  /** Options for a text that goes back. */
  returnText?(signature: string): Options | undefined;
  /** False where results of tools cannot carry images; they follow in a message of the user. */
  readonly imagesInResults: boolean;
}

/** What a wire protocol that is spoken through the SDK does in its own way; the rest is the same for all of them. */
export interface Dialect extends PromptRules {
  /** Imports the SDK package and makes the model, which serves all requests that go to the same place. */
  load(target: ModelTarget, fetch: typeof globalThis.fetch): Promise<LanguageModelV3>;
  /** True where the model holds something that runs out, so that it is not kept between requests. */
  loadsAnew?(apiKey: string | undefined): boolean;
  /** Options of the whole call: thinking, caching, service tier. The request's limit is the one that holds. */
  options(request: LimitedRequest): Options;
  /** False where the endpoint refuses a limit for the answer and a temperature; true if absent. */
  takesLimits?(request: ModelRequest): boolean;
  /** What the SDK adds to the limit of the answer by itself: a budget for thinking. The wire must not carry more than the limit. */
  addedToLimit?(options: Options): number;
  /** The signature of a thought in the SDK's metadata. */
  thinkingSignature(
    metadata: Metadata,
  ): { readonly signature: string; readonly redacted?: boolean; readonly append?: boolean } | undefined;
  /** The signature of a call in the SDK's metadata. */
  toolCallSignature?(metadata: Metadata): string | undefined;
  /** The signature of a text in the SDK's metadata. */
  textSignature?(metadata: Metadata): string | undefined;
  /** True where the SDK drops the names of errors inside a stream, so that they are read from the raw frames. */
  readonly rawErrors?: boolean;
  /** Completes the events of servers that differ from the protocol; absent where nobody copies it. */
  readonly mender?: () => Mender;
}

/** A quirk of the model, if it is of the expected type. */
export function quirk<T extends 'string' | 'boolean' | 'number'>(
  request: Pick<ModelRequest, 'model'>,
  name: string,
  type: T,
): (T extends 'string' ? string : T extends 'boolean' ? boolean : number) | undefined {
  const value = request.model.quirks?.[name];
  return (typeof value === type ? value : undefined) as never;
}

/** A non-empty string in metadata. */
export function textIn(metadata: Metadata, key: string): string | undefined {
  const value = metadata?.[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const BUDGETS = { off: 0, minimal: 1024, low: 4096, medium: 10_240, high: 20_480, xhigh: 32_768 } as const;
/** Claude takes no smaller budget. */
const LEAST_BUDGET = 1024;
/** The part of an answer that thinking may take. */
const THINKING_PART = 0.8;

/** Tokens for thinking, for protocols that count them; they are part of the limit of the answer. 0 when there is no room to think. */
export function thinkingBudget({
  thinking = 'off',
  maxTokens,
}: {
  thinking?: ThinkingLevel;
  maxTokens: number;
}): number {
  const budget = Math.min(BUDGETS[thinking], Math.floor(maxTokens * THINKING_PART));
  return budget < LEAST_BUDGET ? 0 : budget;
}

/** True when the model must call a tool; some providers refuse to think then. */
export function forcesTool({ toolChoice }: ModelRequest): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object';
}

/** The headers of the model and of the request. */
export function headersOf(request: ModelTarget): Record<string, string> {
  return { ...request.model.headers, ...request.headers };
}

/** The major and minor version in a model's id, e.g. 4 and 6 for `claude-opus-4-6`. */
export function versionIn(id: string, family: RegExp): readonly [number, number] | undefined {
  const rest = family.exec(id);
  if (!rest) return undefined;
  const [, major, minor] = /^(\d{1,2})(?:[.-](\d{1,2})(?!\d))?/.exec(id.slice(rest.index + rest[0].length)) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor ?? 0)];
}
