/** SQL of database clients: what only asks is understood, and what changes data by the kind of its statements. */
import type { Language, Meaning } from '../language.ts';
import { valueOf } from './option-table.ts';

/** Functions that touch nothing but values. */
const FUNCTIONS = new Set(
  'count sum avg min max total group_concat string_agg array_agg json_agg jsonb_agg abs round ceil ceiling floor mod power sqrt sign random upper lower length char_length substr substring trim ltrim rtrim replace concat concat_ws coalesce nullif ifnull iif cast date time datetime julianday strftime unixepoch now current_date current_timestamp extract date_trunc to_char age json_extract json_array_length json_each json_object json_array json_type json_valid jsonb_array_length jsonb_extract_path_text row_number rank dense_rank lag lead first_value last_value ntile over partition instr hex printf format quote typeof unicode char glob like exists in values not and or on as from where using filter distinct all any case when then else end between is union select with recursive table_info index_list index_info foreign_key_list table_xinfo version current_database current_schema current_user pg_size_pretty pg_database_size pg_total_relation_size pg_relation_size generate_series unnest greatest least split_part regexp_replace regexp_matches left right position initcap lpad rpad reverse md5 to_date to_timestamp sqlite_version'.split(
    ' ',
  ),
);
const PRAGMAS =
  /^pragma\s+(\w+\.)?(table_info|table_xinfo|table_list|index_list|index_info|index_xinfo|foreign_key_list|foreign_key_check|database_list|integrity_check|quick_check|user_version|schema_version|journal_mode|page_count|page_size|encoding|compile_options|function_list|foreign_keys)\s*(\(\s*['"]?\w+['"]?\s*\))?$/i;

/** How far a text changes data: 0 asks only, 1 adds, 2 changes, 3 deletes. Refuses what it does not know. */
export function sqlTier(text: string, refuse: (what: string) => never): 0 | 1 | 2 | 3 {
  // MySQL runs `/*! … */`, and clients read backslashes: neither is SQL that everybody reads in the same way.
  if (/[\\`[\]]|\/\*!|\$\$|\$\w*\$/.test(text)) refuse('SQL with a backslash or another way of quoting');
  const code = text.replace(/'(?:''|[^'])*'|"(?:""|[^"])*"|--[^\n]*|\/\*.*?\*\//gs, (part) =>
    part.startsWith('"') ? ' name ' : part.startsWith("'") ? " '' " : ' ',
  );
  if (/['"]|\/\*/.test(code.replace(/''/g, ''))) refuse('SQL with an open quote');
  // No SQL has this, but commands of clients look so.
  if (/(^|[\s,;])\.[A-Za-z]/.test(code)) refuse('a command of the client among SQL');
  let worst: 0 | 1 | 2 | 3 = 0;
  for (const statement of code.split(';').map((part) => part.trim())) {
    if (statement === '') continue;
    const tier = statementTier(statement, refuse);
    if (tier > worst) worst = tier;
  }
  return worst;
}

function statementTier(statement: string, refuse: (what: string) => never): 0 | 1 | 2 | 3 {
  if (PRAGMAS.test(statement)) return 0;
  for (const [, name = ''] of statement.matchAll(/([A-Za-z_][\w.]*)\s*\(/g))
    if (!FUNCTIONS.has(name.toLowerCase()) && !isTable(statement, name)) refuse(`the SQL function ${name}`);
  const words = new Set(statement.toLowerCase().match(/[a-z_]+/g));
  const has = (...names: string[]) => names.some((name) => words.has(name));
  if (
    has(
      'attach',
      'copy',
      'load',
      'call',
      'exec',
      'execute',
      'do',
      'vacuum',
      'grant',
      'revoke',
      'outfile',
      'dumpfile',
      'listen',
      'notify',
    )
  )
    refuse('an SQL statement that does more than work with data');
  if (has('drop', 'truncate')) return 3;
  if (/^(with\b.*\b)?delete\b/is.test(statement) || has('delete'))
    return /\bwhere\b(?!\s+(1\s*=\s*1|true))/i.test(statement) ? 2 : 3;
  if (has('update', 'alter', 'set', 'replace', 'merge', 'lock'))
    return /^select\b/i.test(statement) && !has('update', 'alter', 'set', 'merge', 'lock') ? 0 : 2;
  if (/^insert\s+into\b/i.test(statement)) return 1;
  if (/^create\s+(temp\s+|temporary\s+|unique\s+)?(table|index|view)\b/i.test(statement)) return 1;
  if (/^(select|values|with)\b/i.test(statement) && !has('into', 'insert', 'create')) return 0;
  if (/^explain\s+(query\s+plan\s+)?select\b/i.test(statement)) return 0;
  if (/^(begin|commit|rollback)(\s+transaction)?$/i.test(statement)) return 0;
  if (/^show\s+(tables|databases|columns\s+from\s+\w+|\w+)$/i.test(statement)) return 0;
  return refuse(`the SQL statement ${statement.slice(0, 40)}`);
}

/** `INSERT INTO t (a, b)`, `CREATE TABLE t (…)`, `varchar(20)`: no functions. */
function isTable(statement: string, name: string): boolean {
  if (
    /^(varchar|char|decimal|numeric|int|integer|float|text|key|unique|check|references|index|primary|default)$/i.test(
      name,
    )
  )
    return true;
  if (/^insert\s/i.test(statement)) return new RegExp(`^insert\\s+into\\s+${name}\\s*\\(`, 'i').test(statement);
  return new RegExp(
    `^create\\s+(\\w+\\s+)?(table|index)\\s+(if\\s+not\\s+exists\\s+)?(\\w+\\s+on\\s+)?${name}\\s*\\(|\\breferences\\s+${name}\\s*\\(`,
    'i',
  ).test(statement);
}

/** Says what a text does. */
export function readSql(text: string, meaning: Meaning, isFile: boolean): 0 | 1 | 2 | 3 {
  const tier = sqlTier(text, (what) => meaning.refuse(what));
  if (tier === 3) meaning.add(3, 'deletes data');
  else if (tier > 0) meaning.add(isFile ? tier : 2, 'changes data');
  return tier;
}

/** The SQL of `psql -c`. */
export const language: Language = {
  read([word], meaning) {
    const text = valueOf(word, meaning, 'SQL');
    if (/^\s*\\(d[a-zA-Z]*\+?|l\+?|conninfo)(\s+[\w.*]+)?\s*$/.test(text)) return;
    readSql(text, meaning, false);
  },
};
