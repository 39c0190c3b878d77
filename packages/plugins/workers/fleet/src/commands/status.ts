/** `tenon fleet status`, `drain` and `limit`. */
import type { CommandCall } from '@tenon/command-line/api';
import { counted, didYouMean, plainLine, timeAgo } from '@tenon/wording';
import { shownAddress } from '../credentials.ts';
import type { Database } from '../database/database.ts';
import { tell } from '../database/log.ts';
import { SCHEMA } from '../database/schema.ts';
import { errors } from '../errors.ts';
import { startDrain } from '../host/presence.ts';
import { limitsOf, usedOf } from '../queue/admission.ts';
import { checkKey, limitOf } from '../queue/keys.ts';
import { type FleetStatus, readStatus } from '../status.ts';

/** Shows the hosts, what waits, and the limits. */
export async function showStatus(database: Database, { flags, io }: CommandCall): Promise<void> {
  const status = await readStatus(database);
  if (flags['json'] === true) return io.json({ place: shownAddress(database.url), ...status });
  await io.out(`${[`PostgreSQL  ${plainLine(shownAddress(database.url))}`, ...statusLines(status)].join('\n')}\n`);
}

/** The fleet as a person reads it. */
export function statusLines(
  { hosts, states, limits, waiting }: FleetStatus,
  now: number = Date.now(),
): readonly string[] {
  const count = (state: string) => states[state] ?? 0;
  const active = count('starting') + count('running') + count('validating');
  const width = Math.max(4, ...hosts.map(({ name }) => name.length));
  return [
    `Runs        ${active} at work, ${count('queued')} queued, ${count('waiting')} waiting, ${count('done')} done, ${count('failed')} failed`,
    ...(waiting > 0
      ? [`            ${counted(waiting, 'run')} ${waiting === 1 ? 'waits' : 'wait'} for a host or a limit`]
      : []),
    ...(hosts.length === 0 ? ['Hosts       none; `tenon fleet worker` makes this machine one'] : ['Hosts']),
    ...hosts.map(
      ({ name, state, runs, slots, labels, seen, hasKey }) =>
        `  ${plainLine(name).padEnd(width)}  ${state.padEnd(8)}  ${`${runs}/${slots}`.padStart(7)}  ${seenText(state, seen, now)}${labels.length === 0 ? '' : `  ${labels.map(plainLine).join(', ')}`}${hasKey ? '  has the key' : ''}`,
    ),
    ...(limits.length === 0 ? [] : ['Limits']),
    ...limits.map(({ key, used, most }) => `  ${plainLine(key)}  ${used} of ${most}`),
  ];
}

/** A host is lost after seconds, which are no `just now` then. */
function seenText(state: string, seen: string, now: number): string {
  const seconds = Math.round((now - Date.parse(seen)) / 1000);
  if (state === 'lost' && seconds < 60) return `silent for ${counted(Math.max(1, seconds), 'second')}`;
  return `seen ${timeAgo(seen, now)}`;
}

/** Lets a host finish what it has, and leave. */
export async function drainHost(database: Database, { args, flags, io }: CommandCall): Promise<void> {
  const name = String(args['host'] ?? '');
  if (!(await startDrain(database, name))) {
    const hosts = await database.rows<{ name: string }>(`SELECT name FROM ${SCHEMA}.worker WHERE NOT lost`);
    const hint = didYouMean(
      name,
      hosts.map((host) => host.name),
    );
    throw errors.create('FLEET_HOST_UNKNOWN', { name, hint });
  }
  if (flags['json'] === true) return io.json({ host: name, state: 'draining' });
  await io.out(`${plainLine(name)} takes no more runs, and leaves when those that it has have ended.\n`);
}

/** Shows, sets or removes limits of runs at the same time. */
export async function limitRuns(database: Database, { args, flags, io }: CommandCall): Promise<void> {
  const [key, number] = [args['key'], args['number']];
  if (typeof key === 'string') {
    checkKey(key);
    const most = typeof number === 'string' ? mostOf(key, number) : undefined;
    await database.transaction(async (sql) => {
      if (most === undefined) await sql.rows(`DELETE FROM ${SCHEMA}.lim WHERE key = $1`, [key]);
      else
        await sql.rows(`INSERT INTO ${SCHEMA}.lim VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET most = $2`, [
          key,
          most,
        ]);
      await tell(sql, 'q');
    });
  }
  const [limits, used] = [await limitsOf(database), await usedOf(database)];
  const rows = [...limits].map(([name, most]) => ({ key: name, most, used: used.get(name) ?? 0 }));
  if (flags['json'] === true) return io.json({ limits: rows });
  if (rows.length === 0) await io.out('There are no limits.\n');
  for (const row of rows)
    await io.out(
      `${plainLine(row.key)}  ${row.key.endsWith(':*') ? '' : `${row.used} of `}${limitOf(limits, row.key)}\n`,
    );
}

function mostOf(key: string, number: string): number | undefined {
  if (number === 'none') return undefined;
  const most = Number(number);
  if (!Number.isInteger(most) || most < 0 || most > 1_000_000)
    throw errors.create('FLEET_LIMIT', { key, reason: `"${number}" is neither a whole number nor "none"` });
  return most;
}
