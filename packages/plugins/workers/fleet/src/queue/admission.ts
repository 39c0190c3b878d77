/**
 * Decides which runs may begin: DBOS can limit a queue by one key, runs are limited by several at once. Only who holds the lock decides, so
 * limits are exact; what is over its limit stays in the table and is in nobody's way. Being admitted and being queued in DBOS is one transaction.
 */
import type { Database, Sql } from '../database/database.ts';
import { LOCKS, SCHEMA } from '../database/schema.ts';
import { limitOf } from './keys.ts';

/** A host that has not said anything for this long is lost. */
export const LEASE_MS = 6_000;
/** How often a host says that it is there. */
export const BEAT_MS = 1_000;

/** SQL for: this host is there and takes runs. */
export const IS_LIVE = `NOT lost AND NOT draining AND beat > clock_timestamp() - interval '${LEASE_MS} milliseconds'`;

/** Puts an admitted leg into a queue, in the transaction. */
export type Enqueue = (sql: Sql['client'], run: string, leg: number, hostClass: string) => Promise<void>;

interface Room {
  readonly name: string;
  readonly labels: readonly string[];
  free: number;
}

interface Candidate {
  readonly id: string;
  readonly leg: number;
  readonly keys: readonly string[];
}

/** Admits what can begin. Gives how many were, or undefined when somebody else is at it. */
export async function admit(database: Database, enqueue: Enqueue): Promise<number | undefined> {
  return database.transaction(async (sql) => {
    const [lock] = await sql.rows<{ held: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS held', [LOCKS.admit]);
    if (lock?.held !== true) return undefined;
    const rooms = await roomsOf(sql);
    if (rooms.every(({ free }) => free <= 0)) return 0;
    const limits = await limitsOf(sql);
    const used = await usedOf(sql);
    const isFull = (key: string) => (used.get(key) ?? 0) >= limitOf(limits, key);
    const full = new Set([...limits.keys(), ...used.keys()].filter(isFull));
    let admitted = 0;
    for (const room of rooms)
      // Keys become full on the way: what they block is left out of the next look.
      for (let isMore = true; isMore && room.free > 0;) {
        const candidates = await candidatesFor(sql, room, [...full]);
        isMore = false;
        for (const candidate of candidates) {
          if (room.free <= 0) break;
          const blocking = candidate.keys.find(isFull);
          if (blocking !== undefined) {
            full.add(blocking);
            isMore = true;
            continue;
          }
          for (const key of candidate.keys) used.set(key, (used.get(key) ?? 0) + 1);
          room.free--;
          admitted++;
          await sql.rows(`UPDATE ${SCHEMA}.run SET admitted = clock_timestamp(), class = $2 WHERE id = $1`, [
            candidate.id,
            room.name,
          ]);
          await enqueue(sql.client, candidate.id, candidate.leg, room.name);
        }
      }
    return admitted;
  });
}

/** Classes and how many runs they have room for, those with few labels first: others may be needed by who asks for them. */
async function roomsOf(sql: Sql): Promise<Room[]> {
  const rows = await sql.rows<{ name: string; labels: string[]; free: string }>(
    `SELECT class AS name, labels, sum(slots) - (SELECT count(*) FROM ${SCHEMA}.run r WHERE r.admitted IS NOT NULL AND r.class = w.class) AS free
     FROM ${SCHEMA}.worker w WHERE ${IS_LIVE} GROUP BY class, labels ORDER BY cardinality(labels), class`,
  );
  return rows.map(({ name, labels, free }) => ({ name, labels, free: Number(free) }));
}

/** The limits, by key. */
export async function limitsOf(sql: Pick<Sql, 'rows'>): Promise<Map<string, number>> {
  const rows = await sql.rows<{ key: string; most: number }>(`SELECT key, most FROM ${SCHEMA}.lim ORDER BY key`);
  return new Map(rows.map(({ key, most }) => [key, most]));
}

/** How many admitted runs have each key. */
export async function usedOf(sql: Pick<Sql, 'rows'>): Promise<Map<string, number>> {
  const rows = await sql.rows<{ key: string; used: string }>(
    `SELECT key, count(*) AS used FROM ${SCHEMA}.run, unnest(keys) AS key WHERE admitted IS NOT NULL GROUP BY key`,
  );
  return new Map(rows.map(({ key, used }) => [key, Number(used)]));
}

async function candidatesFor(sql: Sql, { labels, free }: Room, full: readonly string[]): Promise<Candidate[]> {
  return sql.rows<{ id: string; leg: number; keys: string[] }>(
    `SELECT id, leg, keys FROM ${SCHEMA}.run
     WHERE state IN ('queued', 'starting', 'running', 'validating') AND admitted IS NULL AND labels <@ $1::text[] AND NOT keys && $2::text[]
     ORDER BY priority DESC, since, id LIMIT $3 FOR UPDATE SKIP LOCKED`,
    [labels, full, free],
  );
}
