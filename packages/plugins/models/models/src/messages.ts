/** Text written by a person, a model or a tool. */
export interface TextContent {
  readonly type: 'text';
  readonly text: string;
  /** Opaque provider data that must go back with the text. */
  readonly textSignature?: string;
}

/** An image, as base64. */
export interface ImageContent {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}

/** What a model thought before it answered. */
export interface ThinkingContent {
  readonly type: 'thinking';
  readonly thinking: string;
  /** Opaque provider data that must go back with the thought, or the provider refuses the next turn. */
  readonly thinkingSignature?: string;
  /** True when the provider hides the text and only the signature counts. */
  readonly redacted?: boolean;
}

/** A model asks for a tool. */
export interface ToolCallContent {
  readonly type: 'toolCall';
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Opaque provider data that must go back with the call. */
  readonly thoughtSignature?: string;
}

/** Money, in US dollars. */
export interface Cost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

/** Tokens of one model call. `input` excludes what was read from or written to the cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Part of `output` that went into thinking, where the provider tells. */
  readonly reasoning?: number;
  readonly totalTokens: number;
  readonly cost: Cost;
}

/** Why a model stopped. */
export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted';

/** Why a model has not done what was asked, where it knows. */
export type NotDone = 'needs-model' | 'failed' | 'question';

/** What a person said. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly (TextContent | ImageContent)[];
  readonly timestamp: number;
}

/** What a model answered. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[];
  /** The wire protocol it came over. */
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  readonly errorMessage?: string;
  /** What the user can do about the failure. */
  readonly errorNext?: string;
  /** Set by a model that knows that it did not do what was asked: it needs another model, it failed, or it asks back. */
  readonly notDone?: NotDone;
  readonly timestamp: number;
}

/** What a tool gave back. */
export interface ToolResultMessage {
  readonly role: 'toolResult';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: unknown;
  readonly isError: boolean;
  readonly timestamp: number;
}

/** The messages that providers understand. */
export type ModelMessage = UserMessage | AssistantMessage | ToolResultMessage;

/** No tokens, no cost. */
export const NO_USAGE: Usage = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }),
});

/** Why an answer failed and what can be done about it, as one text. */
export function failureText({ errorMessage, errorNext }: Pick<AssistantMessage, 'errorMessage' | 'errorNext'>): string {
  const why = errorMessage ?? 'The model gave no answer.';
  if (errorNext === undefined) return why;
  return `${/[.!?]$/.test(why) ? why : `${why}.`} ${errorNext}`;
}
