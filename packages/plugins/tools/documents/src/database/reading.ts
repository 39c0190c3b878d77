/** Which statements only read. */
import { errors } from '../errors.ts';

const READING = new Set(['SELECT', 'WITH', 'VALUES', 'EXPLAIN']);
/** Pragmas that tell something and change nothing, also with an argument. */
const TELLING = new Set([
  'database_list',
  'foreign_key_check',
  'foreign_key_list',
  'index_info',
  'index_list',
  'index_xinfo',
  'integrity_check',
  'quick_check',
  'table_info',
  'table_list',
  'table_xinfo',
]);
/** Told without an argument; with one they would be set. */
const TELLING_ALONE = new Set([
  'application_id',
  'encoding',
  'journal_mode',
  'page_count',
  'page_size',
  'user_version',
]);

/**
 * Refuses everything but one statement that reads. The database is opened for reading as well, but ATTACH and VACUUM INTO
 * write other files even then.
 */
export function checkReading(sql: string): void {
  const refuse = (reason: string) => errors.create('DOCUMENTS_SQL', { reason });
  const bare = withoutTexts(sql)
    .trim()
    .replace(/[;\s]+$/, '');
  if (bare === '') throw refuse('the query is empty');
  if (bare.includes(';')) throw refuse('only one statement can be run at a time');
  const [, word = '', rest = ''] = /^([a-z]+)([^]*)$/i.exec(bare) ?? [];
  if (word.toUpperCase() === 'PRAGMA') {
    const [, name = '', argument = ''] = /^\s*(?:\w+\.)?(\w+)\s*([^]*)$/.exec(rest) ?? [];
    const isTelling = TELLING.has(name.toLowerCase()) || (TELLING_ALONE.has(name.toLowerCase()) && argument === '');
    if (!isTelling) throw refuse(`PRAGMA ${name} is not allowed here`);
    return;
  }
  if (!READING.has(word.toUpperCase()))
    throw refuse(`only queries can be run here, not ${word.toUpperCase() || 'this'}`);
}

/** The statement with comments left out and quoted texts and names replaced by empty ones. */
export function withoutTexts(sql: string): string {
  return sql.replaceAll(
    /--[^\n]*|\/\*[^]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)/g,
    (part) => (/^(?:--|\/\*)/.test(part) ? ' ' : part[0] === '[' ? '[]' : `${part[0]}${part[0]}`),
  );
}
