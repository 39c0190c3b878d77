/** A channel: a place of a messaging service where a person reads and answers. */

/** A part of a message: prose, which is shown as it was written, or code. */
export interface Block {
  readonly kind: 'text' | 'code';
  readonly text: string;
}

/** Buttons below a message. */
export interface Choices {
  /** The short code of the question. */
  readonly code: string;
  /** What proves that whoever presses a button has seen the message: for services that do not tell who did. */
  readonly secret: string;
  readonly labels: readonly string[];
}

/** A message that goes out. It fits the channel's limit. */
export interface Outgoing {
  /** The same for every attempt to send this message: a service that knows such keys takes it once. */
  readonly key: string;
  readonly what: 'text' | 'question' | 'settle';
  /** The short code of the question that it is about. */
  readonly question?: string;
  readonly blocks: readonly Block[];
  /** One line for places that show a title. */
  readonly title?: string;
  /** Where; the channel's own place when absent. */
  readonly thread?: string;
  readonly choices?: Choices;
  /** Makes no sound. */
  readonly isQuiet?: boolean;
}

/** A message of a person. */
export interface IncomingMessage {
  readonly type: 'message';
  readonly id: string;
  /** The conversation that it stands in, as the service names it. */
  readonly place: string;
  /** The thread inside of the place. */
  readonly thread?: string;
  /** The message that it replies to. */
  readonly replyTo?: string;
  readonly user: string;
  readonly text: string;
}

/** A button that was pressed, or an answer that came as data. */
export interface IncomingAnswer {
  readonly type: 'answer';
  readonly code: string;
  /** The conversation that the button stands in, where one listener serves several channels. */
  readonly place?: string;
  /** Who answers; absent where the service does not tell. Then `secret` must be right. */
  readonly user?: string;
  readonly secret?: string;
  /** The number of the choice, or words. */
  readonly choice?: number;
  readonly text?: string;
  /** Tells that person alone what became of it. */
  tell?(text: string): Promise<void>;
}

/** A thread was closed in the service. */
export interface IncomingArchive {
  readonly type: 'archived';
  readonly thread: string;
}

/** What comes in. */
export type Incoming = IncomingMessage | IncomingAnswer | IncomingArchive;

/** What became of an answer that came as data. */
export type Received = 'taken' | 'refused' | 'gone' | 'ignored';

/** Takes what comes in. When it resolves, everything is written down: the service may then be told that it was received. */
export type Receive = (incoming: Incoming) => Promise<Received>;

/** An open channel. */
export interface Channel {
  /** How many characters a message may have, and how many these blocks make. */
  readonly limit: number;
  size(blocks: readonly Block[]): number;
  /** How many buttons a message may have; 0 for channels that only tell. */
  readonly maxChoices: number;
  /** The most messages that one text may become; 10 when absent. What is longer is cut. */
  readonly maxMessages?: number;
  /** Whether people can write to it. */
  readonly takesText: boolean;
  /** Sends a message and gives its id. Throws a `ChannelFault`. */
  send(message: Outgoing, signal: AbortSignal): Promise<string>;
  /** Replaces a message: its buttons go. Channels that cannot do so send a new one. */
  edit?(id: string, message: Outgoing, signal: AbortSignal): Promise<void>;
  /** Opens a thread below a message and gives its name. Without it, the message itself is the thread. */
  openThread?(message: string, title: string, signal: AbortSignal): Promise<string>;
  /** One listener serves all channels of its kind: the service gives each event once. */
  readonly sharesListener?: boolean;
  /** Receives until `signal` aborts. */
  listen?(receive: Receive, signal: AbortSignal): Promise<void>;
}

/** What the user's settings say about a channel. */
export interface ChannelSettings {
  readonly kind: string;
  readonly to?: string;
  readonly users?: readonly string[];
  readonly server?: string;
  readonly replies?: string;
  readonly listen?: string;
  readonly sources?: readonly string[];
  readonly threads?: {
    readonly cwd: string;
    readonly worker?: string;
    readonly model?: string;
    readonly worktree?: 'auto' | 'always' | 'never';
  };
}

/** Keeps one text for a channel over restarts: how far it has read. */
export interface Bookmark {
  read(): string | undefined;
  write(text: string): Promise<void>;
}

/** What a channel is opened with. */
export interface ChannelParts {
  readonly name: string;
  readonly settings: ChannelSettings;
  readonly bookmark: Bookmark;
  readonly env: NodeJS.ProcessEnv;
  /** The user's credential for a service, as `tenon auth login NAME` keeps it. Throws when there is none. */
  credential(name: string): Promise<string>;
  /** Says what went wrong, without secrets. */
  warn(message: string): void;
}

/** A kind of channel. */
export interface ChannelKind {
  /** Checks the settings and opens it. Nothing is sent. */
  open(parts: ChannelParts): Promise<Channel>;
}
