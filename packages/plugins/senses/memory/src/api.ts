/** What other plugins may use of memory: the service over both banks, and the slot for those who turn text into vectors. */
import { service, slot } from '@tenon/kernel';

/** Whose bank a fact is in: the project's around the working folder, or the user's own, which all projects share. */
export type MemoryScope = 'project' | 'user';

/**
 * Where the words of a fact come from, as the conversation shows it and not as a model claims it. `user`: the user said them, or
 * vouched for them. `agent`: a model concluded it. `outside`: they stood in the result of a tool, so anybody may have written them.
 */
export type FactSource = 'user' | 'agent' | 'outside';

/** One time that a fact was said. */
export interface Mention {
  readonly at: string;
  readonly source: FactSource;
  /** The session, and its last entry at that time; absent for calls by hand. */
  readonly session?: string;
  readonly entry?: string;
  /** What the model wrote down about how it learned this. */
  readonly context?: string;
}

/** Something that is remembered. */
export interface Fact {
  readonly id: string;
  readonly scope: MemoryScope;
  readonly text: string;
  readonly source: FactSource;
  readonly created: string;
  readonly updated: string;
  /** How often it was recalled or put into a conversation. */
  readonly uses: number;
  /** The newest first. */
  readonly mentions: readonly Mention[];
}

/** A fact to be kept. */
export interface NewFact {
  readonly text: string;
  readonly source: FactSource;
  readonly context?: string;
  readonly session?: string;
  readonly entry?: string;
}

/** What became of a fact that was to be kept. */
export interface Kept {
  readonly fact: Fact;
  /** `known`: the same was there already, and now has one more mention. */
  readonly outcome: 'new' | 'known';
  /** Ids of facts that had to make room. */
  readonly evicted: readonly string[];
}

/** A fact that fits a query. */
export interface Recalled {
  readonly fact: Fact;
  /** Words that the query and the fact share, as they are indexed. */
  readonly shared: readonly string[];
  /** How near the vectors are, from -1 to 1; absent without embeddings. */
  readonly nearness?: number;
}

/** How facts are looked up. */
export interface RecallOptions {
  readonly limit?: number;
  readonly scopes?: readonly MemoryScope[];
  readonly sources?: readonly FactSource[];
  /** True when those that are given count as used. */
  readonly counts?: boolean;
  readonly signal?: AbortSignal;
}

/** What is remembered in one folder: in its project's bank and in the user's. */
export interface Memory {
  /** Keeps a fact, secrets masked. What came from outside never goes into the user's bank. */
  retain(cwd: string, scope: MemoryScope, fact: NewFact): Promise<Kept>;
  /** The facts that fit best, best first. */
  recall(cwd: string, query: string, options?: RecallOptions): Promise<readonly Recalled[]>;
  /** All facts, the newest first. */
  list(cwd: string, scopes?: readonly MemoryScope[]): Promise<readonly Fact[]>;
  /** A fact by its id, or by a unique beginning of it. */
  find(cwd: string, id: string): Promise<Fact>;
  /** Removes facts for good: their words are in no file of the bank afterwards. */
  forget(cwd: string, facts: readonly Fact[]): Promise<number>;
  /** Notes that the user vouches for a fact. */
  vouch(cwd: string, fact: Fact): Promise<Fact>;
}

/** What is remembered. */
export const memory = service<Memory>('memory');

/** Turns texts into vectors, so that facts are found by meaning. */
export interface Embedder {
  /** One vector for each text, all of the same length. */
  embed(texts: readonly string[], call: { readonly signal: AbortSignal }): Promise<readonly (readonly number[])[]>;
}

/** Embedders by name; the setting `memory.embeddings.embedder` chooses one. Without it nothing is sent anywhere. */
export const embedders = slot<Embedder>('embedders');

export { errors } from './errors.ts';
