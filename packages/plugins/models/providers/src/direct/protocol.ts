import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { AnswerBuilder, ModelRequest, StreamEvent } from '@tenon/models/api';
import type { LimitedRequest, PromptRules } from '../dialect.ts';
import type { Ending } from '../finish.ts';
import type { Mender } from '../mending/mended-fetch.ts';
import type { Fields } from '../mending/values.ts';

/** A wire protocol that Tenon speaks itself: what it sends, and what the events of an answer mean. */
export interface DirectProtocol extends PromptRules {
  /** Where requests go. */
  url(request: ModelRequest): string;
  /** The headers that the protocol wants, with names in lower case. Those of the model and of the request come on top. */
  headers(request: ModelRequest): Record<string, string>;
  /** Changes headers that depend on each other, when all are known. */
  joinHeaders?(headers: Record<string, string>, body: Fields): void;
  /** What is sent. */
  body(request: LimitedRequest, prompt: LanguageModelV3Prompt): Fields;
  /** Completes the events of one answer. */
  mender(): Mender;
  /** Reads the completed events of one answer. */
  reader(answer: AnswerBuilder): AnswerReader;
  /** True where an error that comes in place of an answer is the server's when it has no other name. */
  readonly earlyErrorsAreServers?: boolean;
}

/** Reads the events of one answer. */
export interface AnswerReader {
  /** Puts what an event means into `out`. Gives the ending when the event is one. Errors inside the stream are thrown. */
  take(event: Fields, out: StreamEvent[]): Ending | undefined;
  /** What the end of the stream means; nothing when the answer is not whole. */
  end(out: StreamEvent[]): Ending | undefined;
}
