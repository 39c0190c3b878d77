/** What the parts of the dispatcher share. */
import type { Logger } from '@tenon/kernel';
import type { Runs } from '@tenon/runs/api';
import type { Block, Channel, ChannelSettings } from '../channel.ts';
import type { QuestionSource } from '../question.ts';
import type { OutboxEntry, StateKeeper } from '../state/state.ts';

/** A channel that is open. */
export interface OpenChannel {
  readonly name: string;
  readonly settings: ChannelSettings;
  readonly channel: Channel;
}

/** What the parts of the dispatcher share. */
export interface DispatchParts {
  readonly state: StateKeeper;
  readonly channels: ReadonlyMap<string, OpenChannel>;
  readonly sources: ReadonlyMap<string, QuestionSource>;
  runs(): Promise<Runs>;
  /** Takes secrets out of what goes out. */
  mask<T>(value: T): T;
  readonly log: Logger;
  readonly delayMs: number;
  /** What the button of a question carries where a service does not tell who presses it. Not written down: agents may read the state. */
  proofOf(code: string): string;
  /** Home, for `~` in settings. */
  readonly home: string;
  /** Something waits in the outbox. */
  wake(): void;
}

/** Something to send, without what the outbox adds. */
export type NewEntry = Omit<OutboxEntry, 'id' | 'sent' | 'chunks'> & {
  readonly blocks: readonly Block[];
  readonly spare?: number;
};
