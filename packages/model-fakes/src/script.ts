/** The wire protocols that the fake speaks. */
export const PROTOCOLS = [
  'anthropic-messages',
  'openai-responses',
  'openai-completions',
  'google-generative-ai',
  'bedrock-converse-stream',
] as const;

/** One of the wire protocols that the fake speaks. */
export type Protocol = (typeof PROTOCOLS)[number];

/** A part of an answer. */
export type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'thinking';
      readonly thinking: string;
      readonly signature?: string;
      /** Sends the thought as encrypted data without text, where the protocol has that. */
      readonly redacted?: boolean;
    }
  | {
      readonly type: 'toolCall';
      readonly id: string;
      readonly name: string;
      readonly arguments: unknown;
      /** Sent instead of the JSON of `arguments`, to send what is not JSON. */
      readonly rawArguments?: string;
      readonly signature?: string;
    };

/** Tokens to report. */
export interface AnswerUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** What goes wrong on the way. `after` counts frames (SSE events or binary messages). */
export type Fault =
  /** Nothing more is sent, and the connection stays open. */
  | { readonly kind: 'stall'; readonly after: number }
  /** The provider reports an error inside its 200 answer. */
  | { readonly kind: 'error-event'; readonly after: number; readonly type: string; readonly message: string }
  /** One frame carries half of its JSON. */
  | { readonly kind: 'broken-frame'; readonly after: number }
  /** The connection breaks. */
  | { readonly kind: 'drop'; readonly after: number }
  /** The answer ends politely, but too early. */
  | { readonly kind: 'end-early'; readonly after: number };

/** How a server differs from the protocol that it copies. Only for protocols of server-sent events. */
export interface WireManners {
  /** The events that are sent in place of one. */
  change?(event: Record<string, unknown>): readonly unknown[];
  /** Ends lines with CR LF. */
  readonly crlf?: boolean;
  /** Leaves out the blank after `data:`. */
  readonly noBlank?: boolean;
  /** Sends comments, as servers do to keep a connection open. */
  readonly comments?: boolean;
  /** Leaves out the names of events. */
  readonly unnamed?: boolean;
  /** Leaves out `[DONE]`. */
  readonly noDone?: boolean;
  /** Leaves out the empty line after the last event. */
  readonly unfinished?: boolean;
}

/** A streamed answer. */
export interface Answer {
  readonly content: readonly AnswerPart[];
  /** Without it: `toolUse` when there is a tool call, else `stop`. */
  readonly stopReason?: 'stop' | 'length' | 'toolUse' | 'refused';
  readonly usage?: AnswerUsage;
  /** Characters per delta; 16 if absent. */
  readonly deltaSize?: number;
  /** Bytes per write to the socket: small numbers split UTF-8 characters and frames. Without it, a frame per write. */
  readonly writeSize?: number;
  /** Pause between frames. */
  readonly paceMs?: number;
  readonly fault?: Fault;
  readonly wire?: WireManners;
}

/** An HTTP error instead of an answer. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The provider's name for the error; a fitting one if absent. */
  readonly type?: string;
  readonly message?: string;
  /** The whole body, instead of one in the protocol's own shape. */
  readonly body?: string;
}

/** What the fake gives for one request. */
export type Reply = Answer | Refusal;
