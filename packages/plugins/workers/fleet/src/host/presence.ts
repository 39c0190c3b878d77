/** A host in the table of hosts: it comes, says that it is there, is drained, goes. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { tell } from '../database/log.ts';
import { SCHEMA } from '../database/schema.ts';
import { errors } from '../errors.ts';
import { LEASE_MS } from '../queue/admission.ts';
import type { HostId } from '../queue/claim.ts';
import { classOf } from '../queue/keys.ts';

/** What a host is. */
export interface HostFacts {
  readonly name: string;
  /** Which machine and folder it is: begun anew there, it keeps its name at once. */
  readonly machine: string;
  readonly slots: number;
  readonly labels: readonly string[];
  readonly hasKey: boolean;
  readonly version: string;
}

/** Enters a host. Another machine that is at work under its name keeps it. */
export async function enter(database: Database, facts: HostFacts): Promise<HostId> {
  const { name, machine, slots, labels, hasKey, version } = facts;
  const epoch = `${machine}:${randomUUID()}`;
  const entered = await database.transaction(async (sql) => {
    const rows = await sql.rows(
      `INSERT INTO ${SCHEMA}.worker AS w (name, epoch, class, labels, slots, has_key, version) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (name) DO UPDATE SET epoch = $2, class = $3, labels = $4, slots = $5, has_key = $6, version = $7,
         beat = clock_timestamp(), started = clock_timestamp(), draining = false, lost = false, swept = false
       WHERE w.lost OR split_part(w.epoch, ':', 1) = $8 OR w.beat < clock_timestamp() - interval '${LEASE_MS} milliseconds' RETURNING name`,
      [name, epoch, classOf(slots, labels), labels, slots, hasKey, version, machine],
    );
    await tell(sql, 'q');
    return rows.length > 0;
  });
  if (!entered) throw errors.create('FLEET_HOST_TAKEN', { name });
  return { name, epoch };
}

/** What a beat has shown: the host is wanted, is to be drained, or was given up. */
export type Beat = 'live' | 'draining' | 'lost';

/** Says that the host is there. */
export async function beat(database: Database, { name, epoch }: HostId): Promise<Beat> {
  const [row] = await database.transaction((sql) =>
    sql.rows<{ draining: boolean }>(
      `UPDATE ${SCHEMA}.worker SET beat = clock_timestamp() WHERE name = $1 AND epoch = $2 AND NOT lost RETURNING draining`,
      [name, epoch],
    ),
  );
  return row === undefined ? 'lost' : row.draining ? 'draining' : 'live';
}

/** Takes no more runs. */
export async function startDrain(database: Database, name: string): Promise<boolean> {
  return database.transaction(async (sql) => {
    const rows = await sql.rows(
      `UPDATE ${SCHEMA}.worker SET draining = true WHERE name = $1 AND NOT lost RETURNING name`,
      [name],
    );
    await tell(sql, `h${name}`);
    return rows.length > 0;
  });
}

/** Goes; whatever it still has is taken over at once. */
export async function leave(database: Database, { name, epoch }: HostId): Promise<void> {
  await database.transaction(async (sql) => {
    const [has] = await sql.rows<{ has: boolean }>(
      `SELECT EXISTS (SELECT FROM ${SCHEMA}.run WHERE owner = $1) AS has`,
      [name],
    );
    if (has?.has === true)
      await sql.rows(`UPDATE ${SCHEMA}.worker SET lost = true, swept = false WHERE name = $1 AND epoch = $2`, [
        name,
        epoch,
      ]);
    else await sql.rows(`DELETE FROM ${SCHEMA}.worker WHERE name = $1 AND epoch = $2`, [name, epoch]);
    await tell(sql, 'q', `h${name}`);
  });
}
