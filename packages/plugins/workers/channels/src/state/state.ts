/** What must survive a restart, in one file. Whoever serves the channels is its only writer. */
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { readText, replaceFile, versionedJson } from '@tenon/state-files';
import type { Block } from '../channel.ts';
import { errors } from '../errors.ts';

/** A question that was announced, or is about to be. */
export interface AskedQuestion {
  readonly code: string;
  readonly source: string;
  readonly id: string;
  readonly title: string;
  readonly options: readonly string[];
  readonly takesText: boolean;
  readonly run?: string;
  /** When it was first seen, and when it was settled; ISO 8601. */
  readonly since: string;
  settled?: string;
  /** How it was settled, as a sentence. */
  outcome?: string;
  /** Where it stands, by channel. */
  announced: Record<string, Announcement>;
}

/** A question in one channel. */
export interface Announcement {
  /** All of its messages; a reply to any of them is an answer. */
  messages: string[];
  thread?: string;
  /** What the last message says, to be able to write it anew. */
  last: readonly Block[];
  /** The options that were offered there; an answer can name no other. */
  options: readonly string[];
  /** It could not be shown there as a whole: only its options count, no other words. */
  isBlind?: true;
}

/** Something that has to go out. Removed when it has. */
export interface OutboxEntry {
  readonly id: string;
  readonly channel: string;
  readonly what: 'text' | 'question' | 'settle';
  /** The code of the question. */
  readonly question?: string;
  /** The messages, and how many of them have gone out. */
  readonly chunks: readonly (readonly Block[])[];
  sent: number;
  readonly title?: string;
  /** The key of the conversation that it belongs to. */
  readonly conversation?: string;
  /** Answers below the last message. */
  readonly options?: readonly string[];
  /** The question is not shown as a whole. */
  readonly isBlind?: true;
}

/** A message that waits for its turn in a thread. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
}

/** A thread and its run. */
export interface Conversation {
  readonly key: string;
  readonly channel: string;
  /** The message that it began with. */
  readonly first: string;
  /** The service's name for the thread, once it is there. */
  thread?: string;
  state: 'active' | 'errored' | 'archived';
  run?: string;
  queue: QueuedMessage[];
  /** The message that is being handed to the run, and the run's session before that. */
  sending?: { readonly id: string; readonly session: number };
  /** The run's state that was told last: `<session>:<attempt>:<state>`. */
  told?: string;
  /** Messages of ours in it: a reply to one of them belongs to it, where the service has no threads. */
  messages: string[];
  changed: string;
}

/** All of it. */
export interface ChannelsState {
  readonly version: 1;
  questions: Record<string, AskedQuestion>;
  outbox: OutboxEntry[];
  conversations: Record<string, Conversation>;
  /** How far each channel has read. */
  bookmarks: Record<string, string>;
  /** Messages that were taken, so that one that comes twice counts once. */
  seen: Record<string, string[]>;
  /** What went wrong last, by channel. */
  faults: Record<string, { readonly at: string; readonly text: string }>;
}

/** The file. */
export function stateFile(state: string): string {
  return join(state, 'channels', 'state.json');
}

/** What the file holds; empty when there is none. */
export async function readChannelsState(state: string): Promise<ChannelsState> {
  const file = stateFile(state);
  const text = await readText(file);
  const empty = { questions: {}, outbox: [], conversations: {}, bookmarks: {}, seen: {}, faults: {} };
  if (text === undefined) return { version: 1, ...empty };
  try {
    return { ...empty, ...versionedJson<ChannelsState>(text, 1, 'questions') };
  } catch (fault) {
    throw errors.create('CHANNELS_STATE', { file, reason: messageOf(fault) }, fault);
  }
}

/** The state in memory and on disk. */
export class StateKeeper {
  readonly now: ChannelsState;
  readonly #file: string;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** How many changes were made, and how many of them are on disk. */
  #made = 0;
  #stored = 0;

  constructor(state: string, now: ChannelsState) {
    this.#file = stateFile(state);
    this.now = now;
  }

  /** Changes the state; when it resolves, the change is on disk. Changes that come while one is being written are written together. */
  change(change: (state: ChannelsState) => void): Promise<void> {
    change(this.now);
    this.#made += 1;
    if (this.#writing === undefined) {
      this.#writing = this.#write();
      return this.#writing;
    }
    this.#next ??= this.#writing
      // That failure belongs to those who waited for that write.
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#writing = this.#write();
        return this.#writing;
      });
    return this.#next;
  }

  /** Resolves when everything that was changed so far is on disk. */
  async stored(): Promise<void> {
    if (this.#stored < this.#made) await this.change(() => undefined);
  }

  async #write(): Promise<void> {
    const made = this.#made;
    try {
      await replaceFile(this.#file, `${JSON.stringify(this.now)}\n`);
      this.#stored = made;
    } finally {
      if (this.#next === undefined) this.#writing = undefined;
    }
  }
}
