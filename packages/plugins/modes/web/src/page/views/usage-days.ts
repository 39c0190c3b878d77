/** Usage by day, ready for a chart. */
import type { UsageCell } from '../../shapes.ts';

/** What is measured. */
export type Measure = 'cost' | 'tokens';
/** What the bars are made of. */
export type Grouping = 'model' | 'account';

const MAX_SERIES = 6;
const DAY = 86_400_000;

/** The days from the first to the last, without holes, and a row of values for each group; the largest first. */
export function daysOf(cells: readonly UsageCell[], by: Grouping, measure: Measure, until = new Date()) {
  const sums = new Map<string, number>();
  for (const cell of cells) sums.set(cell[by], (sums.get(cell[by]) ?? 0) + cell[measure]);
  const names = [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const shown = names.slice(0, MAX_SERIES);
  const days = daysBetween(cells[0]?.day, until);
  const place = new Map(days.map((day, index) => [day, index]));
  const groups = names.length > MAX_SERIES ? [...shown, OTHERS] : shown;
  const series = groups.map((name) => ({ name, values: days.map(() => 0) }));
  for (const cell of cells) {
    const at = shown.indexOf(cell[by]);
    const values = series[at === -1 ? shown.length : at]?.values;
    const day = place.get(cell.day);
    if (values && day !== undefined) values[day] = (values[day] ?? 0) + cell[measure];
  }
  return { days, series };
}

const LEAST_DAYS = 7;

/**
 * The time that a chart of these days shows, in seconds: half a day more on both sides, so that the first and the last bar are whole, and
 * a week at least. A chart that chooses for itself shows three years around the one day that a new user has.
 */
export function spanOf(days: readonly string[]): readonly [number, number] {
  const [first, last] = [days[0], days.at(-1)].map((day = '1970-01-01') => Date.parse(day)) as [number, number];
  const begin = Math.min(first, last - (LEAST_DAYS - 1) * DAY);
  return [(begin - DAY / 2) / 1_000, (last + DAY / 2) / 1_000];
}

/** The name of all that has no bar of its own. */
export const OTHERS = 'others';

function daysBetween(first: string | undefined, until: Date): readonly string[] {
  const end = Date.parse(until.toISOString().slice(0, 10));
  const begin = Date.parse(first ?? '');
  if (Number.isNaN(begin)) return [];
  // A clock that was wrong once must not make a million bars.
  const count = Math.min(3_700, Math.max(0, Math.round((end - begin) / DAY)) + 1);
  return Array.from({ length: count }, (_, index) => new Date(begin + index * DAY).toISOString().slice(0, 10));
}
