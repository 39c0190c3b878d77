/** Makes a run that DBOS has brought here this host's own, and takes over what another host has left. */
import { isInside } from '@tenon/host';
import type { Run, RunEventBody, RunState } from '@tenon/runs/api';
import type { Database, Sql } from '../database/database.ts';
import { appendEvents, tell } from '../database/log.ts';
import { ACTIVE } from '../database/postgres-store.ts';
import { SCHEMA } from '../database/schema.ts';
import { changeSession } from '../database/sessions.ts';

/** A host, as it is known in the database. `epoch` changes when it begins anew. */
export interface HostId {
  readonly name: string;
  readonly epoch: string;
}

/** What came of a claim: the token with which the host may write; `over` when the leg is done; `lost` when the host was given up. */
export type Claim = { readonly token: string } | 'over' | 'lost';

interface ClaimRow {
  readonly body: string;
  readonly state: RunState;
  readonly leg: number;
  readonly owner: string | null;
  readonly token: string;
  readonly isAdmitted: boolean;
}

/** Claims a leg. The last to claim a run is its owner; whoever had it before cannot write to it any more. */
export async function claim(database: Database, host: HostId, id: string, leg: number, folder: string): Promise<Claim> {
  return database.transaction(async (sql) => {
    // Locked, so that nobody gives this host up while it claims.
    const [alive] = await sql.rows(
      `SELECT FROM ${SCHEMA}.worker WHERE name = $1 AND epoch = $2 AND NOT lost FOR SHARE`,
      [host.name, host.epoch],
    );
    if (alive === undefined) return 'lost';
    const [row] = await sql.rows<ClaimRow>(
      `SELECT body, state, leg, owner, token, admitted IS NOT NULL AS "isAdmitted" FROM ${SCHEMA}.run WHERE id = $1 FOR UPDATE`,
      [id],
    );
    if (row === undefined || row.leg !== leg || !row.isAdmitted || !ACTIVE.includes(row.state)) return 'over';
    const run = JSON.parse(row.body) as Run;
    const next = await takeOver(sql, run, row.owner, host.name, folder);
    const [claimed] = await sql.rows<{ token: string }>(
      `UPDATE ${SCHEMA}.run SET owner = $2, token = token + 1, state = $3, body = $4 WHERE id = $1 RETURNING token`,
      [id, host.name, next.state, JSON.stringify(next)],
    );
    await tell(sql, `r${id}`);
    return { token: claimed?.token ?? '' };
  });
}

/** The run as this host goes on with it. A session that another host has not ended is over; the next one is told what it had done. */
async function takeOver(sql: Sql, run: Run, owner: string | null, host: string, folder: string): Promise<Run> {
  const { host: last, worktree: _, ...rest } = run;
  // The database may say anything; what a host works in is its own.
  const isHere = isInside(run.folder, folder) && (run.worktree === undefined || run.worktree.folder === folder);
  if (last === host && isHere) return run;
  // What lies on another host is not here: the workspace is made anew, and the CLI does not know its session.
  const moved: Run = { ...rest, host, folder };
  const isFresh = run.session > 0;
  const next = run.next && (isFresh ? { ...run.next, isFresh } : run.next);
  const isCut = run.state === 'starting' || run.state === 'running';
  if (!isCut) return { ...moved, ...(next && { next }) };
  await changeSession(sql, run.id, run.session, { ended: new Date().toISOString(), exitSignal: 'LOST' });
  const events: RunEventBody[] = [
    { type: 'notice', message: `The host ${owner ?? last ?? ''} was lost; ${host} goes on.` },
    { type: 'state', state: 'queued', message: 'the host was lost' },
  ];
  await appendEvents(sql, run.id, run.session, events);
  // One that never got as far as its process begins as it would have; the prompt of a retry names what was already done.
  return { ...moved, state: 'queued', next: { reason: 'retry', isFresh: true } };
}
