import { parseAddress } from '@tenon/urls/api';
import { errors } from './errors.ts';

/** The least and the most tokens of a map. */
export const BUDGET = { least: 50, most: 50_000, standard: 2_000 } as const;

const FORM = 'outline://, outline://PATH or outline://PATH?budget=4000&focus=FILE';

/** What an address asks for. */
export interface MapQuestion {
  /** A file or folder, relative with `/`; empty for everything. */
  readonly scope: string;
  readonly budget: number;
  readonly focus: readonly string[];
}

/** Takes an address apart; what cannot be used is an error that says how to write it. */
export function parseQuestion(url: string): MapQuestion {
  const { segments, query } = parseAddress(url, FORM);
  // An answer within another budget than the one that was meant would look like a right one.
  const unknown = [...query.keys()].find((key) => key !== 'budget' && key !== 'focus');
  if (unknown !== undefined) throw errors.create('CODE_MAP_QUERY', { key: unknown.slice(0, 40), form: FORM });
  const focus = query
    .getAll('focus')
    .flatMap((list) => list.split(','))
    .filter((path) => path !== '');
  return { scope: segments.join('/'), budget: parseBudget(query.get('budget') ?? undefined), focus };
}

/** A budget that somebody wrote. */
export function parseBudget(text: string | undefined): number {
  if (text === undefined) return BUDGET.standard;
  const budget = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(budget >= BUDGET.least && budget <= BUDGET.most)) {
    throw errors.create('CODE_MAP_BUDGET', { budget: text.slice(0, 20), least: BUDGET.least, most: BUDGET.most });
  }
  return budget;
}

/** The address of a map. */
export function mapAddress({ scope = '', budget, focus = [] }: Partial<MapQuestion> = {}): string {
  const query = new URLSearchParams();
  if (budget !== undefined) query.set('budget', String(budget));
  for (const path of focus) query.append('focus', path);
  const path = scope.split('/').map(encodeURIComponent).join('/');
  return `outline://${path}${query.size > 0 ? `?${query}` : ''}`;
}
