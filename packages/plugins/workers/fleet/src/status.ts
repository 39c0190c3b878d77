/** How the fleet is. */
import type { Database } from './database/database.ts';
import { SCHEMA } from './database/schema.ts';
import { LEASE_MS, limitsOf, usedOf } from './queue/admission.ts';

/** A host. */
export interface FleetHostStatus {
  readonly name: string;
  readonly state: 'live' | 'draining' | 'lost';
  readonly slots: number;
  /** How many runs it has. */
  readonly runs: number;
  readonly labels: readonly string[];
  /** When it was last heard of, and when it came; ISO 8601. */
  readonly seen: string;
  readonly started: string;
  readonly hasKey: boolean;
  readonly version: string;
}

/** The fleet. */
export interface FleetStatus {
  readonly hosts: readonly FleetHostStatus[];
  /** How many runs there are in each state. */
  readonly states: Readonly<Record<string, number>>;
  /** Runs that no host has got yet. */
  readonly waiting: number;
  readonly limits: readonly { readonly key: string; readonly most: number; readonly used: number }[];
}

interface HostRow {
  readonly name: string;
  readonly slots: number;
  readonly runs: string;
  readonly labels: string[];
  readonly beat: Date;
  readonly started: Date;
  readonly draining: boolean;
  readonly isLost: boolean;
  readonly hasKey: boolean;
  readonly version: string;
}

/** Reads it. */
export async function readStatus(database: Database): Promise<FleetStatus> {
  const hosts = await database.rows<HostRow>(
    `SELECT name, slots, labels, beat, started, draining, has_key AS "hasKey", version,
       lost OR beat < clock_timestamp() - interval '${LEASE_MS} milliseconds' AS "isLost",
       (SELECT count(*) FROM ${SCHEMA}.run WHERE owner = w.name) AS runs
     FROM ${SCHEMA}.worker w ORDER BY name`,
  );
  const states = await database.rows<{ state: string; runs: string }>(
    `SELECT state, count(*) AS runs FROM ${SCHEMA}.run GROUP BY state`,
  );
  const [waiting] = await database.rows<{ runs: string }>(
    `SELECT count(*) AS runs FROM ${SCHEMA}.run
     WHERE state IN ('queued', 'starting', 'running', 'validating') AND admitted IS NULL`,
  );
  const [limits, used] = [await limitsOf(database), await usedOf(database)];
  return {
    hosts: hosts.map(({ runs, beat, started, draining, isLost, ...host }) => ({
      ...host,
      state: isLost ? 'lost' : draining ? 'draining' : 'live',
      runs: Number(runs),
      seen: beat.toISOString(),
      started: started.toISOString(),
    })),
    states: Object.fromEntries(states.map(({ state, runs }) => [state, Number(runs)])),
    waiting: Number(waiting?.runs ?? 0),
    limits: [...limits].map(([key, most]) => ({ key, most, used: used.get(key) ?? 0 })),
  };
}
