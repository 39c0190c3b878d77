/** Sessions of runs in PostgreSQL: what they write, and how far it was read. The rows of their runs are locked by whoever calls. */
import type { Intake, RunChange, RunSession, Taken } from '@tenon/runs/api';
import type { Sql } from './database.ts';
import { append, tell } from './log.ts';
import { SCHEMA } from './schema.ts';

/** A row of a session; numbers of 64 bits come as text. */
export interface SessionRow {
  readonly body: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A word that a worker has chosen; a text of PostgreSQL cannot hold every character. */
export function safe(word: string): string {
  return word.replaceAll(/\0|\p{Surrogate}/gu, '\uFFFD');
}

/** Begins a session, unless it is there. */
export async function begin(sql: Sql, session: RunSession): Promise<void> {
  await sql.rows(`INSERT INTO ${SCHEMA}.session (run, number, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [
    session.run,
    session.number,
    JSON.stringify(session),
  ]);
}

/** Changes a session; its run is locked. */
export async function changeSession(
  sql: Sql,
  id: string,
  number: number,
  change: NonNullable<RunChange['session']>,
): Promise<void> {
  const [row] = await sql.rows<{ body: string }>(`SELECT body FROM ${SCHEMA}.session WHERE run = $1 AND number = $2`, [
    id,
    number,
  ]);
  if (row === undefined) throw new TypeError(`run ${id} has no session ${number}`);
  const body = JSON.stringify({ ...(JSON.parse(row.body) as RunSession), ...change });
  await sql.rows(`UPDATE ${SCHEMA}.session SET body = $3 WHERE run = $1 AND number = $2`, [id, number, body]);
}

interface PlacedRow extends SessionRow {
  readonly run: string;
  readonly number: number;
  readonly pieces: number;
  readonly owner: string | null;
  readonly token: string;
}

/** Stores what was read of several sessions. */
export async function take(
  sql: Sql,
  intakes: readonly Intake[],
  isOurs: (id: string, row: PlacedRow) => boolean,
): Promise<(Taken | undefined)[]> {
  // In one order everywhere, so that two batches never wait for each other.
  const rows = await sql.rows<PlacedRow>(
    `SELECT s.run, s.number, s.pieces, s.stdout, s.stderr, r.owner, r.token FROM ${SCHEMA}.run r
     JOIN unnest($1::text[], $2::int[]) AS w (run, number) ON w.run = r.id
     JOIN ${SCHEMA}.session s ON s.run = w.run AND s.number = w.number ORDER BY r.id, s.number FOR UPDATE OF r`,
    [intakes.map(({ run }) => run), intakes.map(({ session }) => session)],
  );
  const known = new Map(rows.map((row) => [`${row.run}:${row.number}`, row]));
  const accepted = intakes.flatMap((intake) => {
    const row = known.get(`${intake.run}:${intake.session}`);
    const isNext =
      row !== undefined && Number(row.stdout) === intake.from.stdout && Number(row.stderr) === intake.from.stderr;
    return isNext && isOurs(intake.run, row) ? [{ intake, row }] : [];
  });
  const entries = accepted.flatMap(({ intake: { run, session, outputs, events }, row }) => [
    ...outputs.map(({ stream, text }, index) => ({
      run,
      session,
      sequence: row.pieces + index + 1,
      stream,
      body: text,
    })),
    ...events.map((body) => ({ run, session, body })),
  ]);
  const { at, places } = await append(sql, entries);
  await sql.rows(
    `UPDATE ${SCHEMA}.session s SET pieces = s.pieces + t.pieces, stdout = t.stdout, stderr = t.stderr
     FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::bigint[]) AS t (run, number, pieces, stdout, stderr)
     WHERE s.run = t.run AND s.number = t.number`,
    [
      accepted.map(({ intake }) => intake.run),
      accepted.map(({ intake }) => intake.session),
      accepted.map(({ intake }) => intake.outputs.length),
      accepted.map(({ intake }) => intake.offsets.stdout),
      accepted.map(({ intake }) => intake.offsets.stderr),
    ],
  );
  await tell(sql, ...new Set(accepted.map(({ intake }) => `r${intake.run}`)));
  let next = 0;
  const stored = new Map<Intake, Taken>();
  for (const { intake, row } of accepted) {
    const { run, session } = intake;
    const outputs = intake.outputs.map(({ stream, text }, index) => {
      const place = places[next++] ?? 0;
      return { place, run, session, sequence: row.pieces + index + 1, at, stream, text };
    });
    const events = intake.events.map((what) => ({ place: places[next++] ?? 0, run, session, at, what }));
    stored.set(intake, { outputs, events });
  }
  return intakes.map((intake) => stored.get(intake));
}
