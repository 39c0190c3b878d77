/** Sums over the ledger. */
import type { UsageRecord } from './ledger.ts';

/** What a number of calls used together. */
export interface Totals extends Pick<
  UsageRecord,
  'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning' | 'totalTokens' | 'cost'
> {
  readonly calls: number;
  readonly sessions: number;
}

/** A sum with the name of what it is about. */
export type Group = { readonly name: string } & Totals;

/** The whole picture. */
export interface Stats {
  /** From when on, as an ISO time; null when everything counts. */
  readonly since: string | null;
  readonly total: Totals;
  readonly model: readonly Group[];
  readonly project: readonly Group[];
  readonly session: readonly Group[];
  readonly day: readonly Group[];
  /** Lines of the ledger that could not be read. */
  readonly damagedLines: number;
}

/** The ways to group. */
export const GROUPINGS = ['model', 'project', 'session', 'day'] as const;

const NUMBERS = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning', 'totalTokens', 'cost'] as const;

class Sum {
  readonly #sessions = new Set<string>();
  readonly #numbers = Object.fromEntries(NUMBERS.map((name) => [name, 0])) as Record<(typeof NUMBERS)[number], number>;
  #calls = 0;

  add(record: UsageRecord): void {
    this.#calls++;
    this.#sessions.add(record.session);
    for (const name of NUMBERS) this.#numbers[name] += record[name] ?? 0;
  }

  totals(): Totals {
    // Cents are added up many times; the error of floating point must not be shown.
    const cost = Number(this.#numbers.cost.toFixed(10));
    return { calls: this.#calls, sessions: this.#sessions.size, ...this.#numbers, cost };
  }
}

/** Adds up records as they come. */
export async function summarize(
  records: AsyncIterable<UsageRecord>,
  since: string | null,
): Promise<Omit<Stats, 'damagedLines'>> {
  const total = new Sum();
  const groups = { model: new Map<string, Sum>(), project: new Map(), session: new Map(), day: new Map() };
  for await (const record of records) {
    total.add(record);
    const names = { ...record, day: record.at.slice(0, 10) };
    for (const by of GROUPINGS) {
      const sum = groups[by].get(names[by]) ?? new Sum();
      groups[by].set(names[by], sum);
      sum.add(record);
    }
  }
  const listed = (by: (typeof GROUPINGS)[number]): Group[] =>
    [...groups[by]].map(([name, sum]: [string, Sum]) => ({ name, ...sum.totals() }));
  const byCost = (a: Group, b: Group) => b.cost - a.cost || b.totalTokens - a.totalTokens;
  return {
    since,
    total: total.totals(),
    model: listed('model').sort(byCost),
    project: listed('project').sort(byCost),
    session: listed('session').sort(byCost),
    day: listed('day').sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The beginning of a period as an ISO time; nothing when the text is none. */
export function sinceTime(text: string, now: Date): string | undefined {
  const back = /^(\d{1,6})([mhdw])$/.exec(text);
  if (back) return new Date(now.getTime() - Number(back[1]) * (UNITS[back[2] ?? ''] ?? 0)).toISOString();
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}
