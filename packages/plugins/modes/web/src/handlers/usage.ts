/** Costs and tokens: what Tenon's own sessions have used is in the ledger, what other CLIs have used is in their runs. */
import type { Account } from '@tenon/accounts/api';
import type { Run } from '@tenon/runs/api';
import type { UsageRecord } from '@tenon/usage/api';
import type { Usage, UsageCell, UsageGroup } from '../shapes.ts';

/** The account of what Tenon itself has asked models for. */
export const OWN = 'own keys';
const SHOWN = 50;

/** What the numbers are made of. */
export interface UsageSources {
  /** From when on, as an ISO time; everything counts when absent. */
  readonly since?: string;
  readonly records: AsyncIterable<UsageRecord>;
  readonly runs: readonly Run[];
  readonly accounts: readonly Account[];
  /** The CLI's own sessions of a run: what Tenon as a worker has used stands in the ledger too, and counts once. */
  sessionsOf(run: Run): Promise<readonly string[]>;
}

interface Piece {
  readonly day: string;
  readonly model: string;
  readonly account: string;
  readonly cost: number;
  readonly tokens: number;
}

class Sums {
  readonly #groups = new Map<string, { name: string; label?: string; cost: number; tokens: number; calls: number }>();

  add(name: string, { cost, tokens }: Pick<Piece, 'cost' | 'tokens'>, label?: string): void {
    const sum = this.#groups.get(name) ?? { name, ...(label !== undefined && { label }), cost: 0, tokens: 0, calls: 0 };
    sum.cost += cost;
    sum.tokens += tokens;
    sum.calls += 1;
    this.#groups.set(name, sum);
  }

  /** The dearest first. */
  list(limit = SHOWN): UsageGroup[] {
    const all = [...this.#groups.values()].sort((a, b) => b.cost - a.cost || b.tokens - a.tokens);
    return all.slice(0, limit).map((sum) => ({ ...sum, cost: rounded(sum.cost) }));
  }
}

/** Adds everything up. */
export async function usageOf({
  since,
  records,
  runs,
  accounts,
  sessionsOf,
}: UsageSources): Promise<Omit<Usage, 'damagedLines'>> {
  const [models, byAccount, byRun, bySession] = [new Sums(), new Sums(), new Sums(), new Sums()];
  const cells = new Map<string, UsageCell>();
  const total = { cost: 0, tokens: 0, calls: 0 };
  const take = (piece: Piece) => {
    const { day, model, account, cost, tokens } = piece;
    models.add(model, piece);
    byAccount.add(account, piece, accounts.find(({ id }) => id === account)?.label);
    const key = JSON.stringify([day, model, account]);
    const cell = cells.get(key) ?? { day, model, account, cost: 0, tokens: 0 };
    cells.set(key, { ...cell, cost: rounded(cell.cost + cost), tokens: cell.tokens + tokens });
    total.cost += cost;
    total.tokens += tokens;
    total.calls += 1;
  };
  const inLedger = new Set<string>();
  for (const run of runs) {
    const at = run.started ?? run.created;
    const { usage, cost = 0, account = OWN, request, worker } = run;
    const piece = {
      day: at.slice(0, 10),
      model: request.model === undefined ? worker : `${worker}: ${request.model}`,
      account,
      cost,
      tokens: usage.input + usage.output,
    };
    if (worker === 'tenon') for (const session of await sessionsOf(run)) inLedger.add(session);
    if ((since !== undefined && at < since) || (piece.tokens === 0 && cost === 0)) continue;
    byRun.add(run.id, piece, `${run.alias}: ${request.task.split('\n', 1)[0]?.slice(0, 100)}`);
    take(piece);
  }
  for await (const { at, model, session, project, cost, totalTokens } of records) {
    if (inLedger.has(session)) continue;
    const piece = { day: at.slice(0, 10), model, account: OWN, cost: cost ?? 0, tokens: totalTokens };
    bySession.add(session, piece, project);
    take(piece);
  }
  return {
    ...(since !== undefined && { since }),
    total: { ...total, cost: rounded(total.cost) },
    cells: [...cells.values()].sort((a, b) => (a.day < b.day ? -1 : 1)),
    models: models.list(),
    accounts: byAccount.list(),
    runs: byRun.list(),
    sessions: bySession.list(),
  };
}

/** Cents are added up many times; the error of floating point must not be shown. */
function rounded(dollars: number): number {
  return Number(dollars.toFixed(10));
}
