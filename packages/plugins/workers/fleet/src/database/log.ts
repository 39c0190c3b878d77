/** Writes to the log. The rows of the runs are locked before places are given out, so that the places of one run grow in the order of its commits. */
import type { RunEvent, RunEventBody, RunOutput } from '@tenon/runs/api';
import type { Sql } from './database.ts';
import { CHANNEL, SCHEMA } from './schema.ts';

/** What is to be written, in order. */
export interface Entry {
  readonly run: string;
  readonly session: number;
  readonly sequence?: number;
  readonly stream?: RunOutput['stream'];
  /** The text of a piece, or an event. */
  readonly body: unknown;
}

/** Writes entries; gives their places and the time. */
export async function append(
  sql: Sql,
  entries: readonly Entry[],
): Promise<{ readonly at: string; readonly places: readonly number[] }> {
  const at = new Date().toISOString();
  if (entries.length === 0) return { at, places: [] };
  const given = await sql.rows<{ place: string }>(
    `SELECT nextval('${SCHEMA}.place')::text AS place FROM generate_series(1, $1)`,
    [entries.length],
  );
  const places = given.map(({ place }) => Number(place));
  await sql.rows(
    `INSERT INTO ${SCHEMA}.log (place, run, session, at, sequence, stream, body)
     SELECT p, r, s, $6, q, m, b FROM unnest($1::bigint[], $2::text[], $3::int[], $4::int[], $5::text[], $7::text[]) AS t (p, r, s, q, m, b)`,
    [
      places,
      entries.map(({ run }) => run),
      entries.map(({ session }) => session),
      entries.map(({ sequence }) => sequence ?? null),
      entries.map(({ stream }) => stream ?? null),
      at,
      entries.map(({ body }) => JSON.stringify(body)),
    ],
  );
  return { at, places };
}

/** Writes events of one run. */
export async function appendEvents(
  sql: Sql,
  run: string,
  session: number,
  bodies: readonly RunEventBody[],
): Promise<RunEvent[]> {
  const { at, places } = await append(
    sql,
    bodies.map((body) => ({ run, session, body })),
  );
  return bodies.map((what, index) => ({ place: places[index] ?? 0, run, session, at, what }));
}

/** Tells all who listen, when the transaction is committed. */
export async function tell(sql: Pick<Sql, 'rows'>, ...payloads: readonly string[]): Promise<void> {
  if (payloads.length > 0) await sql.rows(`SELECT pg_notify('${CHANNEL}', p) FROM unnest($1::text[]) AS p`, [payloads]);
}
