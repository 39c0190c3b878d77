/** One bank: facts in a SQLite database. Several processes share the file; every change is one transaction. */
import { randomBytes } from 'node:crypto';
import { messageOf } from '@tenon/kernel';
import { type Database, inTransaction, type Statement } from '@tenon/state-files';
import type { Fact, FactSource, Kept, MemoryScope, Mention, NewFact } from '../api.ts';
import { errors } from '../errors.ts';
import { openBankFile, storeFault } from './bank-file.ts';
import { isSame, normalized } from './sameness.ts';
import { terms } from './terms.ts';
import { usefulness } from './usefulness.ts';

/** How many mentions of a fact are kept. */
const MAX_MENTIONS = 10;
/** How many words of a query are looked up. */
const MAX_TERMS = 48;
/** Facts that may say the same as a new one. */
const CANDIDATES = 12;
/** Who counts for more. */
const RANKS: Readonly<Record<FactSource, number>> = { outside: 0, agent: 1, user: 2 };

/** A row of `facts`. */
interface FactRow {
  readonly n: number;
  readonly id: string;
  readonly text: string;
  readonly source: FactSource;
  readonly created: number;
  readonly updated: number;
  readonly uses: number;
  readonly used: number;
  readonly said: number;
  readonly bytes: number;
}

interface MentionRow {
  readonly at: number;
  readonly source: FactSource;
  readonly session: string | null;
  readonly entry: string | null;
  readonly context: string | null;
}

/** A fact with its place in the bank. */
export interface BankFact {
  readonly n: number;
  readonly fact: Fact;
}

/** An open bank. */
export class Bank {
  readonly #file: string;
  readonly #scope: MemoryScope;
  readonly #maxBytes: number;
  readonly #db: Database;
  readonly #statements = new Map<string, Statement<unknown>>();

  private constructor(file: string, scope: MemoryScope, maxBytes: number, db: Database) {
    this.#file = file;
    this.#scope = scope;
    this.#maxBytes = maxBytes;
    this.#db = db;
  }

  /** Opens a bank, and makes it where there is none. */
  static async open(file: string, scope: MemoryScope, options: { readonly maxBytes: number }): Promise<Bank> {
    return new Bank(file, scope, options.maxBytes, await openBankFile(file));
  }

  /** Keeps a fact, or notes one more mention of it; the least useful ones make room. */
  add(given: NewFact, now = Date.now()): Kept {
    return this.#write(() => {
      const known = this.#sameAs(given.text);
      const n = known === undefined ? this.#insert(given, now) : this.#mentionAgain(known, given, now);
      this.#sql('INSERT INTO mentions (fact, at, source, session, entry, context) VALUES (?, ?, ?, ?, ?, ?)').run(
        n,
        now,
        given.source,
        given.session ?? null,
        given.entry ?? null,
        given.context ?? null,
      );
      this.#sql(
        'DELETE FROM mentions WHERE fact = ? AND rowid NOT IN (SELECT rowid FROM mentions WHERE fact = ? ORDER BY at DESC, rowid DESC LIMIT ?)',
      ).run(n, n, MAX_MENTIONS);
      const evicted = this.#makeRoom(n, now);
      return { fact: this.#fact(this.#row(n)), outcome: known === undefined ? 'new' : 'known', evicted };
    });
  }

  /** Facts that share words with the query, best first. */
  search(query: string, limit: number): readonly BankFact[] {
    const wanted = [...terms(query)].slice(0, MAX_TERMS);
    if (wanted.length === 0) return [];
    const expression = wanted.map((term) => `"${term.replaceAll('"', '""')}"`).join(' OR ');
    return this.#read(() =>
      this.#sql<FactRow>(
        'SELECT facts.* FROM terms JOIN facts ON facts.n = terms.rowid WHERE terms MATCH ? ORDER BY bm25(terms), facts.updated DESC LIMIT ?',
      )
        .all(expression, limit)
        .map((row) => this.#bankFact(row)),
    );
  }

  /** All facts, the newest first. */
  list(): readonly BankFact[] {
    return this.#read(() =>
      this.#sql<FactRow>('SELECT * FROM facts ORDER BY updated DESC, n DESC')
        .all()
        .map((row) => this.#bankFact(row)),
    );
  }

  /** Notes that facts were of use. */
  used(facts: readonly number[], now = Date.now()): void {
    if (facts.length === 0) return;
    this.#write(() => {
      for (const n of facts) this.#sql('UPDATE facts SET uses = uses + 1, used = ? WHERE n = ?').run(now, n);
    });
  }

  /** The user vouches for a fact. */
  vouch(id: string, now = Date.now()): Fact | undefined {
    return this.#write(() => {
      const row = this.#sql<FactRow>('SELECT * FROM facts WHERE id = ?').get(id);
      if (!row) return undefined;
      this.#sql("UPDATE facts SET source = 'user', updated = ? WHERE n = ?").run(now, row.n);
      this.#sql("INSERT INTO mentions (fact, at, source, context) VALUES (?, ?, 'user', 'vouched for')").run(
        row.n,
        now,
      );
      return this.#fact(this.#row(row.n));
    });
  }

  /** Removes facts. Their words are gone from the file, its free pages and its journal. */
  remove(ids: readonly string[]): number {
    const removed = this.#write(() => ids.reduce((count, id) => count + this.#remove(id), 0));
    if (removed > 0) {
      this.#wipe();
    }
    return removed;
  }

  /** Takes the words of what was removed out of the index, the free pages and the journal. */
  #wipe(): void {
    try {
      this.#db.exec("INSERT INTO terms (terms) VALUES ('optimize')");
      this.#db.exec('VACUUM');
      const checkpoint = this.#db.prepare<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)').get();
      if (checkpoint?.busy) throw new Error('another process reads it');
    } catch (fault) {
      throw errors.create('MEMORY_NOT_WIPED', { file: this.#file, reason: messageOf(fault) }, fault);
    }
  }

  /** Facts that have no vector of this embedder yet. */
  withoutVector(embedder: string, limit: number): readonly { readonly n: number; readonly text: string }[] {
    const sql =
      'SELECT n, text FROM facts WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE fact = n AND embedder = ?) ORDER BY n DESC LIMIT ?';
    return this.#read(() => this.#sql<{ n: number; text: string }>(sql).all(embedder, limit));
  }

  /** Keeps vectors of an embedder; of facts that are gone meanwhile, none. Those of other embedders are dropped. */
  setVectors(embedder: string, vectors: readonly { readonly n: number; readonly vector: string }[]): void {
    this.#write(() => {
      for (const { n, vector } of vectors) {
        this.#sql('DELETE FROM vectors WHERE fact = ?').run(n);
        this.#sql('INSERT INTO vectors (fact, embedder, vector) SELECT n, ?, ? FROM facts WHERE n = ?').run(
          embedder,
          vector,
          n,
        );
      }
    });
  }

  /** The vectors of an embedder, by fact. */
  vectors(embedder: string): readonly { readonly n: number; readonly vector: string }[] {
    const sql = 'SELECT fact AS n, vector FROM vectors WHERE embedder = ?';
    return this.#read(() => this.#sql<{ n: number; vector: string }>(sql).all(embedder));
  }

  /** Facts by their place; those that are gone are left out. */
  at(places: readonly number[]): readonly BankFact[] {
    return this.#read(() =>
      places.flatMap((n) => {
        const row = this.#sql<FactRow>('SELECT * FROM facts WHERE n = ?').get(n);
        return row ? [this.#bankFact(row)] : [];
      }),
    );
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #insert({ text, source }: NewFact, now: number): number {
    const id = randomBytes(5).toString('hex');
    this.#sql(
      'INSERT INTO facts (id, text, normalized, source, created, updated, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(id, text, normalized(text), source, now, now, Buffer.byteLength(text));
    const n = this.#sql<{ n: number }>('SELECT n FROM facts WHERE id = ?').get(id)?.n ?? 0;
    this.#sql('INSERT INTO terms (rowid, words) VALUES (?, ?)').run(n, [...terms(text)].join(' '));
    return n;
  }

  /** One more mention. The words and the source change only when whoever says it now counts as much as whoever said it before. */
  #mentionAgain(row: FactRow, { text, source }: NewFact, now: number): number {
    this.#sql('UPDATE facts SET said = said + 1, updated = ? WHERE n = ?').run(now, row.n);
    if (RANKS[source] < RANKS[row.source]) return row.n;
    this.#sql('UPDATE facts SET source = ?, text = ?, normalized = ?, bytes = ? WHERE n = ?').run(
      source,
      text,
      normalized(text),
      Buffer.byteLength(text),
      row.n,
    );
    this.#sql('DELETE FROM terms WHERE rowid = ?').run(row.n);
    this.#sql('INSERT INTO terms (rowid, words) VALUES (?, ?)').run(row.n, [...terms(text)].join(' '));
    this.#sql('DELETE FROM vectors WHERE fact = ?').run(row.n);
    return row.n;
  }

  #sameAs(text: string): FactRow | undefined {
    const exact = this.#sql<FactRow>('SELECT * FROM facts WHERE normalized = ?').get(normalized(text));
    if (exact) return exact;
    const near = this.search(text, CANDIDATES).find(({ fact }) => isSame(fact.text, text));
    return near && this.#row(near.n);
  }

  /** Removes the least useful facts until the rest fits; never the one that was just said. */
  #makeRoom(newest: number, now: number): readonly string[] {
    let bytes = this.#sql<{ bytes: number | null }>('SELECT SUM(bytes) AS bytes FROM facts').get()?.bytes ?? 0;
    if (bytes <= this.#maxBytes) return [];
    const rows = this.#sql<FactRow>('SELECT * FROM facts WHERE n <> ?')
      .all(newest)
      .map((row) => ({ row, worth: usefulness({ ...row, touched: Math.max(row.updated, row.used) }, now) }))
      .sort((a, b) => a.worth - b.worth || a.row.n - b.row.n);
    const evicted: string[] = [];
    for (const { row } of rows) {
      if (bytes <= this.#maxBytes) break;
      this.#remove(row.id);
      evicted.push(row.id);
      bytes -= row.bytes;
    }
    return evicted;
  }

  #remove(id: string): number {
    this.#sql('DELETE FROM terms WHERE rowid = (SELECT n FROM facts WHERE id = ?)').run(id);
    return this.#sql('DELETE FROM facts WHERE id = ?').run(id).changes > 0 ? 1 : 0;
  }

  #row(n: number): FactRow {
    const row = this.#sql<FactRow>('SELECT * FROM facts WHERE n = ?').get(n);
    if (!row) throw new Error(`fact ${n} is gone within its own transaction`);
    return row;
  }

  #bankFact(row: FactRow): BankFact {
    return { n: row.n, fact: this.#fact(row) };
  }

  #fact({ n, id, text, source, created, updated, uses }: FactRow): Fact {
    const mentions = this.#sql<MentionRow>('SELECT * FROM mentions WHERE fact = ? ORDER BY at DESC, rowid DESC').all(n);
    return {
      id,
      scope: this.#scope,
      text,
      source,
      created: timeText(created),
      updated: timeText(updated),
      uses,
      mentions: mentions.map(mentionOf),
    };
  }

  #sql<Row>(sql: string): Statement<Row> {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known as Statement<Row>;
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (fault) {
      throw storeFault(fault, this.#file);
    }
  }

  #write<T>(work: () => T): T {
    return this.#read(() => inTransaction(this.#db, work));
  }
}

function mentionOf({ at, source, session, entry, context }: MentionRow): Mention {
  return {
    at: timeText(at),
    source,
    ...(session !== null && { session }),
    ...(entry !== null && { entry }),
    ...(context !== null && { context }),
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
