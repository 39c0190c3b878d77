/** Memory over both banks of a folder. Files are opened on first use, and never made only to look. */
import { existsSync } from 'node:fs';
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import type { Embedder, Fact, Kept, Memory, MemoryScope, NewFact, Recalled, RecallOptions } from './api.ts';
import { Bank, type BankFact } from './bank/bank.ts';
import { bankFile, hasBank } from './bank/places.ts';
import { terms } from './bank/terms.ts';
import { nearness, packed } from './embedding/vectors.ts';
import { errors } from './errors.ts';

/** The longest fact. */
export const MAX_FACT_CHARS = 1_000;
const MAX_CONTEXT_CHARS = 300;
const BOTH: readonly MemoryScope[] = ['project', 'user'];
const STANDARD_LIMIT = 10;
/** Facts that take part in the ranking, for each bank. */
const CANDIDATES = 40;
/** Facts that get their vectors at once. */
const VECTOR_BATCH = 128;
/** Below this nearness, a fact that shares no word is about something else. */
const NEAR = 0.35;
/** Flattens the difference between the first places of two rankings. */
const FUSION = 20;

/** What the service needs from the rest of Tenon. */
export interface MemoryHost {
  readonly data: string;
  readonly maxBytes: number;
  /** Takes secrets out, before anything is written or sent. */
  mask(text: string): Promise<string>;
  /** The embedder that the user has switched on, with a name that changes with its vectors; nothing without one. */
  embedder(): Promise<{ readonly name: string; readonly embedder: Embedder } | undefined>;
  warn(text: string): void;
}

interface Ranked extends BankFact {
  readonly bank: Bank;
  readonly shared: readonly string[];
  score: number;
  nearness?: number;
}

/** The memory of this process. */
export class BankMemory implements Memory {
  readonly #host: MemoryHost;
  readonly #banks = new Map<string, Promise<Bank>>();

  constructor(host: MemoryHost) {
    this.#host = host;
  }

  async retain(cwd: string, scope: MemoryScope, given: NewFact): Promise<Kept> {
    const text = plainLine(await this.#host.mask(given.text));
    if (text === '' || terms(text).size === 0) throw errors.create('MEMORY_EMPTY', { what: 'The fact' });
    if (text.length > MAX_FACT_CHARS)
      throw errors.create('MEMORY_TOO_LONG', { length: text.length, limit: MAX_FACT_CHARS });
    const context = given.context === undefined ? undefined : plainLine(await this.#host.mask(given.context));
    const { context: _context, ...rest } = given;
    // What anybody may have written must not follow the user into other projects.
    const bank = await this.#open(given.source === 'outside' ? 'project' : scope, cwd);
    return bank.add({ ...rest, text, ...(context && { context: context.slice(0, MAX_CONTEXT_CHARS) }) });
  }

  async recall(cwd: string, query: string, options: RecallOptions = {}): Promise<readonly Recalled[]> {
    const { limit = STANDARD_LIMIT, scopes = BOTH, sources, counts = false, signal } = options;
    const banks = await this.#existing(cwd, scopes);
    const wanted = terms(query);
    const found = new Map<string, Ranked>();
    for (const bank of banks) {
      for (const [place, { n, fact }] of bank.search(query, CANDIDATES).entries()) {
        const shared = [...terms(fact.text)].filter((term) => wanted.has(term));
        // Words that many share say little; a fact with most of the query's words comes first.
        const score = 1 / (FUSION + place) + shared.length / (FUSION * Math.max(1, wanted.size));
        found.set(fact.id, { bank, n, fact, shared, score });
      }
    }
    await this.#addNear(banks, query, found, signal);
    const best = [...found.values()]
      .filter(({ fact }) => sources?.includes(fact.source) ?? true)
      .sort((a, b) => b.score - a.score || b.fact.updated.localeCompare(a.fact.updated))
      .slice(0, limit);
    if (counts) for (const bank of banks) bank.used(best.filter((entry) => entry.bank === bank).map(({ n }) => n));
    return best.map(({ fact, shared, nearness: near }) => ({
      fact,
      shared,
      ...(near !== undefined && { nearness: near }),
    }));
  }

  async list(cwd: string, scopes: readonly MemoryScope[] = BOTH): Promise<readonly Fact[]> {
    const banks = await this.#existing(cwd, scopes);
    return banks
      .flatMap((bank) => bank.list().map(({ fact }) => fact))
      .sort((a, b) => b.updated.localeCompare(a.updated));
  }

  async find(cwd: string, id: string): Promise<Fact> {
    const matches = (await this.list(cwd)).filter((fact) => id !== '' && fact.id.startsWith(id));
    const [match, second] = matches;
    if (!match) throw errors.create('MEMORY_UNKNOWN', { id });
    if (second) throw errors.create('MEMORY_AMBIGUOUS', { id, ids: matches.map((fact) => fact.id) });
    return match;
  }

  async forget(cwd: string, facts: readonly Fact[]): Promise<number> {
    let removed = 0;
    for (const scope of BOTH) {
      const ids = facts.filter((fact) => fact.scope === scope).map(({ id }) => id);
      if (ids.length > 0) removed += (await this.#open(scope, cwd)).remove(ids);
    }
    return removed;
  }

  async vouch(cwd: string, { id, scope }: Fact): Promise<Fact> {
    const fact = (await this.#open(scope, cwd)).vouch(id);
    if (!fact) throw errors.create('MEMORY_UNKNOWN', { id });
    return fact;
  }

  /** Whether anything is remembered here; does not open anything. */
  async isEmpty(cwd: string): Promise<boolean> {
    return !(await hasBank(this.#host.data, cwd));
  }

  async close(): Promise<void> {
    const banks = [...this.#banks.values()];
    this.#banks.clear();
    // One that could not be opened has told whoever used it.
    for (const bank of banks) (await bank.catch(() => undefined))?.close();
  }

  /** Adds facts of the same meaning, and moves those forward that words found, too. Words alone serve when the embedder fails. */
  async #addNear(
    banks: readonly Bank[],
    query: string,
    found: Map<string, Ranked>,
    signal?: AbortSignal,
  ): Promise<void> {
    if (banks.length === 0) return;
    const chosen = await this.#host.embedder();
    if (!chosen) return;
    const { name, embedder } = chosen;
    const call = { signal: signal ?? AbortSignal.timeout(60_000) };
    try {
      const question = packed((await embedder.embed([await this.#host.mask(query)], call))[0] ?? []);
      for (const bank of banks) {
        const missing = bank.withoutVector(name, VECTOR_BATCH);
        if (missing.length > 0) {
          const vectors = await embedder.embed(
            missing.map(({ text }) => text),
            call,
          );
          bank.setVectors(
            name,
            missing.flatMap(({ n }, index) => (vectors[index] ? [{ n, vector: packed(vectors[index]) }] : [])),
          );
        }
        const near = bank
          .vectors(name)
          .map(({ n, vector }) => ({ n, near: nearness(question, vector) }))
          .sort((a, b) => b.near - a.near)
          .slice(0, CANDIDATES);
        const byPlace = new Map(near.map(({ n, near: value }, place) => [n, { value, place }]));
        const known = new Map(
          [...found.values()].filter((entry) => entry.bank === bank).map((entry) => [entry.n, entry]),
        );
        const others = bank.at(near.filter(({ n, near: value }) => value >= NEAR && !known.has(n)).map(({ n }) => n));
        for (const { n, fact } of others) known.set(n, { bank, n, fact, shared: [], score: 0 });
        for (const [n, entry] of known) {
          const { value, place } = byPlace.get(n) ?? {};
          if (value === undefined || place === undefined) continue;
          entry.nearness = value;
          entry.score += 1 / (FUSION + place);
          found.set(entry.fact.id, entry);
        }
      }
    } catch (fault) {
      if (signal?.aborted) throw fault;
      this.#host.warn(`facts were found by their words only: ${messageOf(fault)}`);
    }
  }

  async #existing(cwd: string, scopes: readonly MemoryScope[]): Promise<readonly Bank[]> {
    const banks: Bank[] = [];
    for (const scope of scopes)
      if (existsSync(await bankFile(this.#host.data, scope, cwd))) banks.push(await this.#open(scope, cwd));
    return banks;
  }

  async #open(scope: MemoryScope, cwd: string): Promise<Bank> {
    const { data, maxBytes } = this.#host;
    const file = await bankFile(data, scope, cwd);
    const opened = this.#banks.get(file) ?? Bank.open(file, scope, { maxBytes });
    this.#banks.set(file, opened);
    try {
      return await opened;
    } catch (fault) {
      this.#banks.delete(file);
      throw fault;
    }
  }
}
