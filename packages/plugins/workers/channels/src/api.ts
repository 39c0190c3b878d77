/** What others may use of channels: the slots for channels and for sources of questions, and the service that serves them. */
import { service, slot } from '@tenon/kernel';
import type { ChannelKind } from './channel.ts';
import type { QuestionSource } from './question.ts';
import type { SessionQuestions } from './sources/sessions.ts';

export type * from './channel.ts';
export type * from './question.ts';
export { errors } from './errors.ts';
export type { SessionQuestion, SessionQuestions } from './sources/sessions.ts';

/** Kinds of channels by name: `discord`. Not for packs: a channel brings answers to approvals. */
export const channels = slot<ChannelKind>('channels');

/** What has open questions, by name: `runs`. Not for packs: a source sees the answers, and what it asks looks like Tenon's own. */
export const questionSources = slot<QuestionSource>('question-sources');

/** How channels are served. */
export interface ServeOptions {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** The sessions that this process has open: their questions are announced, too, as those of `sessions`. */
  readonly sessions?: SessionQuestions;
  /** Waits while another process serves. Otherwise that is an error. */
  readonly waits?: boolean;
  /** Told when it begins to serve, and with which channels. */
  onServing?(names: readonly string[]): void;
}

/** Serves the channels that the user has set up. */
export interface ChannelServer {
  /** Whether the user has set up any channel. Loads nothing. */
  isConfigured(): boolean;
  /** Announces questions and takes answers and messages until `signal` aborts. One process does so at a time. */
  serve(options: ServeOptions): Promise<void>;
}

/** Serves the channels that the user has set up. */
export const channelServer = service<ChannelServer>('channel-server');
