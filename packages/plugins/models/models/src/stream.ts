import type { AssistantMessage, ToolCallContent } from './messages.ts';

/**
 * The one normalized stream of every provider. `partial` is the answer as far as it has come; deltas carry only what is
 * new. A second `start` means that the call was tried again: what came before it is void.
 */
export type StreamEvent =
  | { readonly type: 'start'; readonly partial: AssistantMessage }
  | {
      readonly type: 'text_start' | 'thinking_start' | 'toolcall_start';
      readonly contentIndex: number;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: 'text_delta' | 'thinking_delta' | 'toolcall_delta';
      readonly contentIndex: number;
      readonly delta: string;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: 'text_end' | 'thinking_end';
      readonly contentIndex: number;
      readonly content: string;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: 'toolcall_end';
      readonly contentIndex: number;
      readonly toolCall: ToolCallContent;
      readonly partial: AssistantMessage;
    }
  | { readonly type: 'done'; readonly reason: 'stop' | 'length' | 'toolUse'; readonly message: AssistantMessage }
  | {
      readonly type: 'error';
      readonly reason: 'aborted' | 'error';
      readonly error: AssistantMessage;
      readonly failure?: ProviderFailure;
    };

/** What is known about a failed model call, so that retries and rotations can be decided. */
export interface ProviderFailure {
  readonly kind:
    | 'rate-limit'
    | 'overloaded'
    | 'server'
    | 'network'
    | 'auth'
    /** The account has no credit or quota left; waiting does not help, another key may. */
    | 'no-quota'
    /** The provider does not serve this model, or not to this account. */
    | 'no-model'
    | 'context-overflow'
    | 'bad-request'
    | 'refused'
    | 'aborted'
    | 'unknown';
  readonly status?: number;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number;
  readonly message: string;
  /** The code under which the error reference explains it. */
  readonly code?: string;
  /** What the user can do about it. */
  readonly next?: string;
}
