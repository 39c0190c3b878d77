/** Which facts make room for others. */
import type { FactSource } from '../api.ts';

/** After this many days without a use, a fact is worth half. */
const HALF_LIFE_DAYS = 60;
const DAY_MS = 86_400_000;

/** What the user said is harder to learn again than what a model found. */
const WEIGHTS: Readonly<Record<FactSource, number>> = { user: 3, agent: 1, outside: 0.5 };

/** What counts about a fact. Times are milliseconds. */
export interface Usefulness {
  readonly source: FactSource;
  readonly said: number;
  readonly uses: number;
  /** When it was said or used last. */
  readonly touched: number;
}

/** How much it would be missed: by who said it, how often it was said and used, and how long ago. */
export function usefulness({ source, said, uses, touched }: Usefulness, now: number): number {
  const days = Math.max(0, now - touched) / DAY_MS;
  return WEIGHTS[source] * (1 + Math.log1p(uses) + Math.log(Math.max(1, said))) * 0.5 ** (days / HALF_LIFE_DAYS);
}
