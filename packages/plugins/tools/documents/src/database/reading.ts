/**
 * Which statements only read, and only the database. The library ships functions that read and write any file (`readfile`,
 * `writefile`, `fsdir`, `load_extension`), and its authorizer knows tables only; so a statement is understood here, name by
 * name, before the library sees it. What SQLite makes of it is checked once more by its own listing (see `sqlite.ts`).
 */
import { errors } from '../errors.ts';
import { FORBIDDEN_MODULES, FUNCTIONS, isKnownPragmaTable, MODULES, PRAGMAS, PRAGMAS_ALONE } from './known-names.ts';
import { type SqlToken, sqlTokens } from './sql-tokens.ts';

const READING = new Set(['select', 'with', 'values', 'explain']);
const CHANGING = new Set(['insert', 'update', 'delete']);
/** Keywords that a parenthesis may follow. Those that are also names of functions are in that list. */
const BEFORE_PARENTHESIS = new Set(
  `all and as between by case cast check collate distinct else escape except exists filter from glob group having in intersect is isnull join
  left limit materialized not notnull null offset on or order outer over partition select set then union using values when where with`
    .trim()
    .split(/\s+/),
);
const SIGNS = '()+-*/%<>=!|&~,.;';
const MAX_LENGTH = 100_000;

const refusal = (reason: string) => errors.create('DOCUMENTS_SQL', { reason });

/** Refuses everything but one statement that reads this database. `modules` are those of the library, as it lists them. */
export function checkReading(sql: string, modules: readonly string[] = []): void {
  const tokens = statementOf(sql);
  const [first] = tokens;
  const verb = first?.kind === 'word' ? first.value : '';
  if (verb === 'pragma') return checkPragma(tokens.slice(1));
  if (!READING.has(verb)) throw refusal(`only queries can be run here, not ${verb.toUpperCase() || 'this'}`);
  const inner = verb === 'explain' ? explained(tokens) : tokens;
  if (inner[0]?.value === 'pragma') return checkPragma(inner.slice(1));
  for (const [at, token] of inner.entries()) {
    if (token.kind !== 'word') continue;
    // WITH may stand before a change as well.
    const isChange = CHANGING.has(token.value) || (token.value === 'replace' && isWord(inner[at + 1], 'into'));
    if (isChange) throw refusal(`only queries can be run here, not ${token.value.toUpperCase()}`);
  }
  checkModules(inner, modules);
  checkCalls(inner);
}

/** Refuses everything but one statement that changes rows with values that were handed over. */
export function checkChanging(sql: string, modules: readonly string[] = []): void {
  const tokens = statementOf(sql);
  const [first, second] = tokens;
  if (first?.kind !== 'word' || !CHANGING.has(first.value)) throw refusal('only rows can be changed here');
  // `INSERT INTO "t" (columns)` is no call of a function.
  const isInsert = first.value === 'insert' && isWord(second, 'into');
  checkModules(tokens, modules);
  checkCalls(isInsert ? tokens.slice(3) : tokens);
}

function statementOf(sql: string): SqlToken[] {
  if (sql.length > MAX_LENGTH) throw refusal(`a statement has at most ${MAX_LENGTH} characters`);
  // The library would stop reading there, and what is checked must be what runs.
  if (sql.includes('\0')) throw refusal('a statement cannot contain zero bytes');
  const tokens = sqlTokens(sql);
  while (isSign(tokens.at(-1), ';')) tokens.pop();
  if (tokens.length === 0) throw refusal('the query is empty');
  if (tokens.some((token) => isSign(token, ';'))) throw refusal('only one statement can be run at a time');
  if (tokens.some(({ kind, value }) => kind === 'sign' && !SIGNS.includes(value)))
    throw refusal('it contains a character that SQL does not know');
  if (tokens.some(({ kind }) => kind === 'variable')) throw refusal('variables ($x, @x, :x) have no value here');
  return tokens;
}

function explained(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const isPlan = isWord(tokens[1], 'query') && isWord(tokens[2], 'plan');
  const inner = tokens.slice(isPlan ? 3 : 1);
  const verb = inner[0]?.kind === 'word' ? inner[0].value : '';
  if (verb === 'explain' || !(READING.has(verb) || verb === 'pragma'))
    throw refusal(`only queries can be explained here, not ${verb.toUpperCase() || 'this'}`);
  return inner;
}

function checkPragma(tokens: readonly SqlToken[]): void {
  const [name, ...argument] = isSign(tokens[1], '.') ? tokens.slice(2) : tokens;
  const pragma = name?.value.toLowerCase() ?? '';
  const isKnown = PRAGMAS.has(pragma) || (PRAGMAS_ALONE.has(pragma) && argument.length === 0);
  if (!isKnown) throw refusal(`PRAGMA ${pragma} is not allowed here`);
}

/** A module in the definition of a virtual table that reaches beyond the database, however it is written there. */
export function foreignModuleIn(sql: string, modules: readonly string[]): string | undefined {
  const foreign = modules.filter((name) => !MODULES.has(name) && !name.startsWith('pragma_'));
  const text = sql.toLowerCase();
  return [...FORBIDDEN_MODULES, ...foreign].find((name) => text.includes(name));
}

/** A table of a module needs no parentheses: `FROM fsdir WHERE path = …`. */
function checkModules(tokens: readonly SqlToken[], modules: readonly string[]): void {
  for (const { kind, value } of tokens) {
    if (kind !== 'word' && kind !== 'name' && kind !== 'text') continue;
    const name = value.toLowerCase();
    const isUnknownPragma = kind !== 'text' && name.startsWith('pragma_') && !isKnownPragmaTable(name);
    const isUnknownModule = modules.includes(name) && !MODULES.has(name) && !isKnownPragmaTable(name);
    if (FORBIDDEN_MODULES.has(name) || isUnknownPragma || isUnknownModule)
      throw refusal(`the table ${name} is not allowed here`);
  }
}

function checkCalls(tokens: readonly SqlToken[]): void {
  for (const [at, token] of tokens.entries()) {
    if (!isSign(tokens[at + 1], '(')) continue;
    if (token.kind !== 'word' && token.kind !== 'name' && token.kind !== 'text') continue;
    const name = token.value.toLowerCase();
    if (token.kind === 'word' && BEFORE_PARENTHESIS.has(name)) continue;
    if (FUNCTIONS.has(name) || MODULES.has(name) || isKnownPragmaTable(name)) continue;
    if (token.kind !== 'text' && isNameOfCommonTable(tokens, at)) continue;
    throw refusal(`the function ${name} is not allowed here`);
  }
}

/** `name(column, …) AS (` or `AS [NOT] MATERIALIZED (`, as it stands behind WITH and nowhere else. */
function isNameOfCommonTable(tokens: readonly SqlToken[], at: number): boolean {
  const before = tokens[at - 1];
  if (!isWord(before, 'with') && !isWord(before, 'recursive') && !isSign(before, ',')) return false;
  let end = at + 2;
  while (tokens[end]?.kind === 'word' || tokens[end]?.kind === 'name' || isSign(tokens[end], ',')) end++;
  if (!isSign(tokens[end], ')') || !isWord(tokens[end + 1], 'as')) return false;
  const next = tokens[end + 2];
  return isSign(next, '(') || isWord(next, 'materialized') || isWord(next, 'not');
}

function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === 'word' && token.value === word;
}

function isSign(token: SqlToken | undefined, sign: string): boolean {
  return token?.kind === 'sign' && token.value === sign;
}
