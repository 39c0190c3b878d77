/** What keeps runs. SQLite on one machine; another store may serve a fleet. */
import { slot } from '@tenon/kernel';
import type { Run, RunEvent, RunEventBody, RunMessage, RunOutput, RunQuestion, RunSession } from '../run.ts';

/** What was read of a session's output and what it meant; stored together or not at all. */
export interface Intake {
  readonly run: string;
  readonly session: number;
  readonly outputs: readonly Pick<RunOutput, 'stream' | 'text'>[];
  readonly events: readonly RunEventBody[];
  /** How many bytes of each file have been read after this. */
  readonly offsets: { readonly stdout: number; readonly stderr: number };
}

/** A change of a run: fields to replace, and the events that tell of it. Stored together. */
export interface RunChange {
  readonly run: Partial<Omit<Run, 'id' | 'alias' | 'created' | 'request'>>;
  readonly session?: Partial<Omit<RunSession, 'run' | 'number'>>;
  readonly events?: readonly RunEventBody[];
  /** The change is made only when the run is in one of these states; else `change` gives undefined. */
  readonly from?: readonly Run['state'][];
}

/** A wish of somebody who is not the keeper. */
export type RunWish = 'cancel' | 'hijack';

/** Keeps runs. Every method is one transaction; several processes may use one store. */
export interface RunStore {
  add(run: Run): Promise<void>;
  get(id: string): Promise<Run | undefined>;
  list(filter?: { readonly states?: readonly Run['state'][]; readonly limit?: number }): Promise<readonly Run[]>;
  remove(id: string, options: { readonly output: boolean }): Promise<void>;
  change(id: string, change: RunChange): Promise<Run | undefined>;
  addSession(session: RunSession): Promise<void>;
  sessions(id: string): Promise<readonly (RunSession & { readonly offsets: Intake['offsets'] })[]>;
  /** Several sessions at once, in one transaction. Gives what was stored, with its places. */
  take(intakes: readonly Intake[]): Promise<readonly { readonly outputs: readonly RunOutput[]; readonly events: readonly RunEvent[] }[]>;
  /** Output of a run after a place in it, oldest first. */
  outputs(id: string, after: { readonly session: number; readonly sequence: number }, limit: number): Promise<readonly RunOutput[]>;
  /** Events after a place in the log, of one run or of all. */
  events(after: number, limit: number, id?: string): Promise<readonly RunEvent[]>;
  questions(id: string): Promise<readonly RunQuestion[]>;
  ask(id: string, session: number, questions: readonly Pick<RunQuestion, 'id' | 'text' | 'options'>[]): Promise<void>;
  /** Gives how many questions are still open. */
  answer(id: string, answers: Readonly<Record<string, string>>): Promise<number>;
  addMessage(id: string, text: string): Promise<RunMessage>;
  messages(id: string): Promise<readonly RunMessage[]>;
  markMessage(id: string, number: number, state: RunMessage['state']): Promise<void>;
  wish(id: string, wish: RunWish): Promise<void>;
  takeWishes(): Promise<readonly { readonly run: string; readonly wish: RunWish }[]>;
  /** Grows whenever anybody has changed the store; cheap to ask. */
  version(): number;
  /** Tells when somebody may have changed the store, also another process. Returns how to stop. */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Opens a store. */
export interface RunStoreSource {
  open(place: { readonly folder: string; readonly url?: string }): Promise<RunStore>;
}

/** Stores by name: `sqlite`. */
export const runStores = slot<RunStoreSource>('run-stores');
