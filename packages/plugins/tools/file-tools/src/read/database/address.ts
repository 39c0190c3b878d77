/** What a path says about a database: `:table`, `:table:key`, `:table?where=…`, `?q=SELECT …`. */
import { errors } from '../../errors.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 500;
const PARAMETERS = ['limit', 'offset', 'order', 'where'];
/** In a condition these would make another query of it. */
const FORBIDDEN = /\b(?:limit|offset|union|intersect|except|attach|detach|pragma|vacuum)\b/i;

/** A part of a database. */
export type DatabaseAddress =
  | { readonly kind: 'tables' }
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'row'; readonly table: string; readonly key: string }
  | { readonly kind: 'rows'; readonly table: string; readonly rows: RowChoice }
  | { readonly kind: 'query'; readonly sql: string };

/** Which rows of a table. */
export interface RowChoice {
  readonly limit: number;
  readonly offset: number;
  readonly order?: { readonly column: string; readonly direction: 'ASC' | 'DESC' };
  readonly where?: string;
}

/** Takes apart what stands behind the file. */
export function databaseAddress(inner: string, shownPath: string): DatabaseAddress {
  const refuse = (reason: string) =>
    errors.create('FILE_TOOLS_DATABASE_PATH', { path: `${shownPath}${inner}`, reason });
  const [, names = '', query] = /^([^?]*)(?:\?([^]*))?$/.exec(inner) ?? [];
  const [, table = '', key] = /^:([^:]*)(?::([^]*))?$/.exec(names) ?? [];
  if (names !== '' && table === '') throw refuse('the name of the table is missing');
  if (table === '') {
    if (query === undefined) return { kind: 'tables' };
    if (!query.startsWith('q=')) throw refuse('a database without a table takes only ?q=');
    const sql = decoded(query.slice(2)).trim();
    if (sql === '') throw refuse('the query is empty');
    return { kind: 'query', sql };
  }
  if (key !== undefined && key !== '') {
    if (query !== undefined) throw refuse('a single row takes no parameters');
    return { kind: 'row', table: decoded(table), key: decoded(key) };
  }
  if (query === undefined || query === '') return { kind: 'table', table: decoded(table) };
  return { kind: 'rows', table: decoded(table), rows: rowChoice(query, refuse) };
}

function rowChoice(query: string, refuse: (reason: string) => Error): RowChoice {
  const parameters = new Map<string, string>();
  // Conditions may contain &; a new parameter starts only where one of the known names follows.
  for (const part of query.split(/&(?=\w+=)/)) {
    const [, name = part, value = ''] = /^(\w+)=([^]*)$/.exec(part) ?? [];
    if (name === 'q') throw refuse('q cannot be combined with a table; use DB?q=');
    if (!PARAMETERS.includes(name)) throw refuse(`there is no parameter "${name}", only ${PARAMETERS.join(', ')}`);
    parameters.set(name, decoded(value));
  }
  const number = (name: string, fallback: number): number => {
    const text = parameters.get(name);
    if (text === undefined) return fallback;
    if (!/^\d{1,12}$/.test(text)) throw refuse(`${name} must be a number`);
    return Number(text);
  };
  const [, column, direction] = /^(.+?)(?::(asc|desc))?$/i.exec(parameters.get('order') ?? '') ?? [];
  const where = parameters.get('where')?.trim();
  if (where) checkCondition(where, refuse);
  return {
    limit: Math.max(1, Math.min(MAX_LIMIT, number('limit', DEFAULT_LIMIT))),
    offset: number('offset', 0),
    ...(column !== undefined && {
      order: { column, direction: direction?.toLowerCase() === 'desc' ? 'DESC' : 'ASC' } as const,
    }),
    ...(where && { where }),
  };
}

function checkCondition(where: string, refuse: (reason: string) => Error): void {
  const bare = where.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, "''");
  if (/--|\/\*|;/.test(bare)) throw refuse('where takes one condition, without comments or ;');
  const word = FORBIDDEN.exec(bare)?.[0];
  if (word !== undefined) throw refuse(`where cannot contain ${word.toUpperCase()}; use the parameters or DB?q=`);
  if (/['"]/.test(bare.replaceAll("''", ''))) throw refuse('a quote in where is not closed');
  let open = 0;
  for (const sign of bare) {
    open += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    if (open < 0) break;
  }
  if (open !== 0) throw refuse('the parentheses in where do not fit');
}

/** Percent signs are decoded where the text was encoded; one with blanks or quotes was not, as in `name LIKE '%ab%'`. */
function decoded(text: string): string {
  if (!text.includes('%') || /[\s'"]/.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded after all: a percent sign that means itself.
    return text;
  }
}
