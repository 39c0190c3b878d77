/** Words of sqlite3: flags of how answers look, a database, and SQL. Dot commands can run programs, so only those that look are known. */
import type { Language } from '../language.ts';
import { readSql } from './sql.ts';
import { readOptions } from './option-table.ts';

const DOT =
  /^\.(tables|schema|indexes|indices|databases|dbinfo|fullschema|version|help|show|dump)(\s+(--?indent\s+)?[\w%'.-]+)?$|^\.(mode|headers?|width|nullvalue|separator|timeout|timer|changes|bail|echo)\s+['"]?[\w |,\t-]+['"]?$/;
const NAMES =
  'append ascii bail batch box column csv echo header noheader html json line list markdown nofollow quote readonly safe stats table tabs version help';

/** Words of sqlite3. */
export const language: Language = {
  read(words, meaning) {
    const flags = NAMES.split(' ').filter((name) => name !== 'append');
    const operands = readOptions(words, meaning, {
      plain: flags.flatMap((name) => [`-${name}`, `--${name}`]).join(' '),
      next: { '-separator --separator -newline --newline -nullvalue --nullvalue': /[^\\]*|\\[tn]/ },
      attached: {},
    });
    const [database, ...texts] = operands;
    if (database === undefined) {
      if (words.some(({ value }) => value === '-version' || value === '--version')) return;
      return meaning.refuse('`sqlite3` without a database');
    }
    if (texts.length === 0) meaning.refuse('SQL that `sqlite3` reads from its input');
    if (/^file:|\?/.test(database.value ?? '')) meaning.refuse(`the database ${database.value ?? ''}`, database);
    let changes = false;
    for (const { value = '' } of texts) {
      if (value.startsWith('.')) {
        if (!DOT.test(value)) meaning.refuse(`the command ${value} of \`sqlite3\``);
      } else if (readSql(value, meaning, true) > 0) changes = true;
    }
    if (database.value !== ':memory:') meaning.role(changes ? 'write' : 'read', database);
  },
};
