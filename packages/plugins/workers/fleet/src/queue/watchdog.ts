/** Looks after what a host that died has left, and after what got lost between the tables and DBOS. Every host does it; doing it twice is harmless. */
import type { Database, Sql } from '../database/database.ts';
import { tell } from '../database/log.ts';
import { LOCKS, SCHEMA } from '../database/schema.ts';
import { IS_LIVE, LEASE_MS } from './admission.ts';
import { type Engine, workflowOf } from './engine.ts';

/** A leg that was admitted and that no host has claimed after this time is looked at. */
const UNCLAIMED_MS = 15_000;
const PAGE = 500;
/** A host that was heard of in this time is there; it beats once a second. */
const FRESH_MS = 2_500;

interface ClassRow {
  readonly name: string;
  readonly labels: string[];
  readonly isFresh: boolean;
}

interface StrayRow {
  readonly id: string;
  readonly leg: number;
  readonly labels: string[];
  readonly class: string | null;
}

/** Gives up hosts that say nothing. Gives their names. */
export async function giveUp(database: Database): Promise<readonly string[]> {
  return database.transaction(async (sql) => {
    const rows = await sql.rows<{ name: string }>(
      // Its last transaction may still hold its row; then the next look gives it up.
      `UPDATE ${SCHEMA}.worker SET lost = true, swept = false WHERE name IN (
         SELECT name FROM ${SCHEMA}.worker WHERE NOT lost AND beat < clock_timestamp() - interval '${LEASE_MS} milliseconds'
         FOR UPDATE SKIP LOCKED) RETURNING name`,
    );
    if (rows.length > 0) await tell(sql, ...rows.map(({ name }) => `h${name}`));
    return rows.map(({ name }) => name);
  });
}

/** Hands over what lost hosts have left; with `isWhole` also looks for what got lost. Two at once would take from each other, so one does it. */
export async function rescue(database: Database, engine: Engine, isWhole: boolean): Promise<void> {
  await database.transaction(async (sql) => {
    const [lock] = await sql.rows<{ held: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS held', [LOCKS.rescue]);
    if (lock?.held !== true) return;
    // This transaction only holds the lock, and waits for the others.
    await sql.rows('SET LOCAL idle_in_transaction_session_timeout = 60000');
    await emptyLost(database, engine);
    await moveAlone(database, engine);
    if (!isWhole) return;
    await findStrays(database, engine);
    await engine.tidy();
  });
}

async function emptyLost(database: Database, engine: Engine): Promise<void> {
  const lost = await database.rows<{ name: string }>(`SELECT name FROM ${SCHEMA}.worker WHERE lost AND NOT swept`);
  const names = lost.map(({ name }) => name);
  if (names.length === 0) return;
  const begun = await engine.begunBy(names);
  const strays = await straysOf(
    database,
    begun.map(({ run }) => run),
  );
  // The host died after the run was over, and before DBOS knew.
  const isOpen = new Set(strays.map(({ id, leg }) => workflowOf(id, leg)));
  await engine.drop(begun.filter(({ run, leg }) => !isOpen.has(workflowOf(run, leg))));
  await handOver(database, engine, strays);
  // What is left waits for a host that may do it.
  if (begun.length === 0)
    await database.transaction((sql) =>
      sql.rows(
        `UPDATE ${SCHEMA}.worker w SET swept = true WHERE lost AND name = ANY($1)
           AND NOT EXISTS (SELECT FROM ${SCHEMA}.run WHERE owner = w.name)`,
        [names],
      ),
    );
}

/** Legs in a class that nobody is left of: moved to another. */
async function moveAlone(database: Database, engine: Engine): Promise<void> {
  const alone = await database.rows<StrayRow>(
    `SELECT id, leg, labels, class FROM ${SCHEMA}.run r WHERE admitted IS NOT NULL
       AND NOT EXISTS (SELECT FROM ${SCHEMA}.worker w WHERE w.class = r.class AND ${IS_LIVE})
       AND NOT EXISTS (SELECT FROM ${SCHEMA}.worker w WHERE w.name = r.owner AND NOT w.lost) LIMIT ${PAGE}`,
  );
  await handOver(database, engine, alone);
}

/** Legs that no host has begun, and legs that DBOS does not know any more. */
async function findStrays(database: Database, engine: Engine): Promise<void> {
  const old = await database.rows<StrayRow>(
    `SELECT id, leg, labels, class FROM ${SCHEMA}.run r WHERE admitted < clock_timestamp() - interval '${UNCLAIMED_MS} milliseconds'
       AND (owner IS NULL OR NOT EXISTS (SELECT FROM ${SCHEMA}.worker w WHERE w.name = r.owner AND NOT w.lost)) LIMIT ${PAGE}`,
  );
  const states = await engine.statesOf(old.map(({ id, leg }) => workflowOf(id, leg)));
  const stateOf = ({ id, leg }: StrayRow) => states.get(workflowOf(id, leg));
  // Given to a host that did not begin it.
  await handOver(
    database,
    engine,
    old.filter((stray) => stateOf(stray) === 'PENDING'),
  );
  const gone = old.filter((stray) => !['PENDING', 'ENQUEUED', 'DELAYED'].includes(stateOf(stray) ?? ''));
  if (gone.length === 0) return;
  // It has ended there and not here: another leg, which is admitted anew.
  await database.transaction(async (sql) => {
    await sql.rows(
      `UPDATE ${SCHEMA}.run r SET leg = r.leg + 1, admitted = NULL, class = NULL, owner = NULL, token = token + 1
       FROM unnest($1::text[], $2::int[]) AS t (id, leg) WHERE r.id = t.id AND r.leg = t.leg AND r.admitted IS NOT NULL`,
      [gone.map(({ id }) => id), gone.map(({ leg }) => leg)],
    );
    await tell(sql, 'q');
  });
}

async function straysOf(database: Database, runs: readonly string[]): Promise<readonly StrayRow[]> {
  return database.rows<StrayRow>(
    `SELECT id, leg, labels, class FROM ${SCHEMA}.run WHERE id = ANY($1) AND admitted IS NOT NULL`,
    [runs],
  );
}

/** Hands legs to classes with live hosts; those that none can do stay. */
async function handOver(database: Database, engine: Engine, strays: readonly StrayRow[]): Promise<void> {
  if (strays.length === 0) return;
  const live = await database.rows<ClassRow>(
    `SELECT class AS name, labels, max(beat) > clock_timestamp() - interval '${FRESH_MS} milliseconds' AS "isFresh"
     FROM ${SCHEMA}.worker WHERE ${IS_LIVE} GROUP BY class, labels ORDER BY max(beat) DESC`,
  );
  for (const stray of strays) {
    const fitting = live.filter(({ labels }) => stray.labels.every((label) => labels.includes(label)));
    const same = fitting.find(({ name }) => name === stray.class);
    // Hosts often die together: one that has just been heard of is a better heir.
    const target = same?.isFresh === true ? same : (fitting.find(({ isFresh }) => isFresh) ?? same ?? fitting[0]);
    if (target) await moveTo(database, engine, stray, target.name);
  }
}

async function moveTo(database: Database, engine: Engine, { id, leg }: StrayRow, hostClass: string): Promise<void> {
  const moved = await database.transaction((sql: Sql) =>
    sql.rows(`UPDATE ${SCHEMA}.run SET class = $3 WHERE id = $1 AND leg = $2 AND admitted IS NOT NULL RETURNING id`, [
      id,
      leg,
      hostClass,
    ]),
  );
  if (moved.length > 0) await engine.handOver(id, leg, hostClass);
}
