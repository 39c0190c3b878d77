/** The tables of a fleet, and how they are brought up to date. */
import { errors } from '../errors.ts';
import type { Database, Sql } from './database.ts';

/** Keeps what is Tenon's apart from what else lives in the database. */
export const SCHEMA = 'tenon_fleet';
/** The schema of DBOS, which makes and changes it by itself. */
export const ENGINE_SCHEMA = 'tenon_dbos';
/** The channel on which changes are told: `r<run>` for news of a run, `q` for the queue, `h<host>` for a host. */
export const CHANNEL = 'tenon_fleet';
/** Locks of this schema: one number for each. */
export const LOCKS = { migrate: 7_312_001, admit: 7_312_002, rescue: 7_312_003 } as const;

/** What makes version N+1 of version N. Only ever added to: hosts with an older Tenon may still be at work. */
const MIGRATIONS = [
  `
  CREATE TABLE ${SCHEMA}.run (
    id text PRIMARY KEY, alias text NOT NULL UNIQUE, state text NOT NULL, created text COLLATE "C" NOT NULL, body text NOT NULL,
    priority integer NOT NULL DEFAULT 0, labels text[] NOT NULL DEFAULT '{}', keys text[] NOT NULL DEFAULT '{}',
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    leg integer NOT NULL DEFAULT 1, admitted timestamptz, class text,
    owner text, token bigint NOT NULL DEFAULT 0, base text, work text
  );
  CREATE INDEX run_by_state ON ${SCHEMA}.run (state, created);
  CREATE INDEX run_by_time ON ${SCHEMA}.run (created);
  CREATE INDEX run_queue ON ${SCHEMA}.run (priority DESC, since, id) WHERE state IN ('queued', 'starting', 'running', 'validating') AND admitted IS NULL;
  CREATE INDEX run_admitted ON ${SCHEMA}.run (class) WHERE admitted IS NOT NULL;
  CREATE INDEX run_by_owner ON ${SCHEMA}.run (owner) WHERE owner IS NOT NULL;
  CREATE INDEX run_by_base ON ${SCHEMA}.run (base) WHERE base IS NOT NULL;
  CREATE TABLE ${SCHEMA}.session (
    run text NOT NULL, number integer NOT NULL, body text NOT NULL,
    pieces integer NOT NULL DEFAULT 0, stdout bigint NOT NULL DEFAULT 0, stderr bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (run, number)
  );
  CREATE SEQUENCE ${SCHEMA}.place;
  -- No foreign key: what a run has written outlives it. Texts are JSON, because a text of PostgreSQL cannot hold every character.
  CREATE TABLE ${SCHEMA}.log (
    place bigint PRIMARY KEY, run text NOT NULL, session integer NOT NULL, at text NOT NULL,
    sequence integer, stream text, body text NOT NULL, written xid8 NOT NULL DEFAULT pg_current_xact_id()
  );
  CREATE INDEX log_by_run ON ${SCHEMA}.log (run, place);
  CREATE UNIQUE INDEX log_pieces ON ${SCHEMA}.log (run, session, sequence) WHERE sequence IS NOT NULL;
  CREATE TABLE ${SCHEMA}.question (
    run text NOT NULL, session integer NOT NULL, id text NOT NULL, position integer NOT NULL, body text NOT NULL, answer text,
    PRIMARY KEY (run, session, id)
  );
  CREATE TABLE ${SCHEMA}.message (run text NOT NULL, number integer NOT NULL, text text NOT NULL, state text NOT NULL, PRIMARY KEY (run, number));
  CREATE TABLE ${SCHEMA}.wish (run text NOT NULL, wish text NOT NULL, PRIMARY KEY (run, wish));
  CREATE TABLE ${SCHEMA}.secret (name text PRIMARY KEY, sealed text NOT NULL);
  CREATE TABLE ${SCHEMA}.bundle (id text NOT NULL, part integer NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (id, part));
  CREATE TABLE ${SCHEMA}.worker (
    name text PRIMARY KEY, epoch text NOT NULL, class text NOT NULL, labels text[] NOT NULL, slots integer NOT NULL,
    beat timestamptz NOT NULL DEFAULT clock_timestamp(), started timestamptz NOT NULL DEFAULT clock_timestamp(),
    draining boolean NOT NULL DEFAULT false, lost boolean NOT NULL DEFAULT false, swept boolean NOT NULL DEFAULT false,
    has_key boolean NOT NULL DEFAULT false, version text NOT NULL
  );
  CREATE TABLE ${SCHEMA}.lim (key text PRIMARY KEY, most integer NOT NULL);
  `,
];

/** Makes the schema, or brings it up to date. Several may do it at once. */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.rows('SELECT pg_advisory_xact_lock($1)', [LOCKS.migrate]);
    await sql.rows(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await sql.rows(`CREATE TABLE IF NOT EXISTS ${SCHEMA}.version (number integer NOT NULL)`);
    const found = await versionOf(sql);
    if (found > MIGRATIONS.length) throw newer(database.place, found);
    for (const text of MIGRATIONS.slice(found)) await sql.client.query(text);
    await sql.rows(`DELETE FROM ${SCHEMA}.version`);
    await sql.rows(`INSERT INTO ${SCHEMA}.version VALUES ($1)`, [MIGRATIONS.length]);
  });
}

/** Fails unless the schema is one that this Tenon knows. */
export async function checkSchema(database: Database): Promise<void> {
  const [there] = await database.rows<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
    `${SCHEMA}.version`,
  ]);
  if (there?.there !== true) throw errors.create('FLEET_NO_SCHEMA', { place: database.place });
  const found = await versionOf(database);
  if (found > MIGRATIONS.length) throw newer(database.place, found);
  if (found < MIGRATIONS.length) throw errors.create('FLEET_NO_SCHEMA', { place: database.place });
}

async function versionOf(sql: Pick<Sql, 'rows'>): Promise<number> {
  const [row] = await sql.rows<{ number: number }>(`SELECT number FROM ${SCHEMA}.version`);
  return row?.number ?? 0;
}

const newer = (place: string, found: number) =>
  errors.create('FLEET_NEWER', { place, found, known: MIGRATIONS.length });
