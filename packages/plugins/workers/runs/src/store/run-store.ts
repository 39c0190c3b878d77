/** What keeps runs. SQLite on one machine; another store may serve a fleet. */
import { slot } from '@tenon/kernel';
import type {
  Run,
  RunEvent,
  RunEventBody,
  RunMessage,
  RunNews,
  RunOutput,
  RunQuestion,
  RunSession,
  RunState,
} from '../run.ts';

/** How many bytes of each file of a session have been read. */
export interface Offsets {
  readonly stdout: number;
  readonly stderr: number;
}

/** What was read of a session's output and what it meant; stored together or not at all. */
export interface Intake {
  readonly run: string;
  readonly session: number;
  readonly outputs: readonly Pick<RunOutput, 'stream' | 'text'>[];
  readonly events: readonly RunEventBody[];
  /** What had been read before. When the store knows of more, somebody else was here, and nothing is stored. */
  readonly from: Offsets;
  /** What has been read after this. */
  readonly offsets: Offsets;
}

/** What an intake became. */
export interface Taken {
  readonly outputs: readonly RunOutput[];
  readonly events: readonly RunEvent[];
}

/** Fields to replace; `undefined` removes one. */
export type Changed<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** A change of a run, all that belongs to it, and the events that tell of it. Stored together or not at all. */
export interface RunChange {
  readonly run: Changed<Omit<Run, 'id' | 'alias' | 'created' | 'request'>>;
  /** A session that begins with this change; nothing happens to one that is there already. */
  readonly begin?: RunSession;
  /** Changes of the run's newest session, as it is after this change. */
  readonly session?: Changed<Omit<RunSession, 'run' | 'number'>>;
  readonly events?: readonly RunEventBody[];
  /** Questions of the newest session. */
  readonly ask?: readonly Pick<RunQuestion, 'id' | 'text' | 'options'>[];
  /** A message that was sent with this change. */
  readonly sent?: number;
  /** Drops all messages that are queued. */
  readonly dropMessages?: boolean;
  /** Wishes that this change fulfils. */
  readonly fulfils?: readonly RunWish[];
  /** The change is made only when the run is in one of these states. */
  readonly from?: readonly Run['state'][];
}

/** A wish of somebody who is not the keeper. */
export type RunWish = 'cancel' | 'hijack';

/** Keeps runs. Every method is one transaction; several processes may use one store. */
export interface RunStore {
  /** False when the id or the alias is taken; then nothing is stored. */
  add(run: Run): Promise<boolean>;
  get(id: string): Promise<Run | undefined>;
  /** Newest first. */
  list(filter?: { readonly states?: readonly Run['state'][]; readonly limit?: number }): Promise<readonly Run[]>;
  /** `from`: only in one of these states. False when it is in another. */
  remove(id: string, options: { readonly output: boolean; readonly from?: readonly RunState[] }): Promise<boolean>;
  /** Gives the run afterwards and the stored events; undefined when there is no such run, or it is in another state. */
  change(
    id: string,
    change: RunChange,
  ): Promise<{ readonly run: Run; readonly events: readonly RunEvent[] } | undefined>;
  /** Oldest first. */
  sessions(id: string): Promise<readonly (RunSession & { readonly offsets: Offsets })[]>;
  /** Several sessions at once, in one transaction. Gives what was stored, with its places; nothing for one that was not. */
  take(intakes: readonly Intake[]): Promise<readonly (Taken | undefined)[]>;
  /** Output of a run after a place in it, oldest first. */
  outputs(
    id: string,
    after: { readonly session: number; readonly sequence: number },
    limit: number,
  ): Promise<readonly RunOutput[]>;
  /** Output and events of a run after a place in the log, in the order in which they were stored. */
  news(id: string, after: number, limit: number): Promise<readonly RunNews[]>;
  /** Events after a place in the log, of one run or of all. */
  events(after: number, limit: number, id?: string): Promise<readonly RunEvent[]>;
  questions(id: string): Promise<readonly RunQuestion[]>;
  /** Gives how many questions are still open. */
  answer(id: string, answers: Readonly<Record<string, string>>): Promise<number>;
  addMessage(id: string, text: string): Promise<RunMessage>;
  messages(id: string): Promise<readonly RunMessage[]>;
  wish(id: string, wish: RunWish): Promise<void>;
  /** Wishes that no change has fulfilled yet. */
  wishes(): Promise<readonly { readonly run: string; readonly wish: RunWish }[]>;
  forgetWish(id: string, wish: RunWish): Promise<void>;
  /** Grows whenever anybody has changed the store; cheap to ask. */
  version(): number;
  /** Tells when somebody may have changed the store, also another process; of one run: when something was written to its log. Returns how to stop. */
  watch(listener: () => void, run?: string): () => void;
  close(): Promise<void>;
}

/** Opens a store. */
export interface RunStoreSource {
  open(place: { readonly folder: string; readonly url?: string }): Promise<RunStore>;
}

/** Stores by name: `sqlite`. */
export const runStores = slot<RunStoreSource>('run-stores');
