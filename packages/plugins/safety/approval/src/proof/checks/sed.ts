/** sed: which words are scripts, and whether files are read or changed. */
import type { CallWord, Check } from '../language.ts';
import { readSed, SedRefusal } from '../languages/sed.ts';

/** Names of backups for files whose own names are not known. */
const USUAL_SUFFIX = /^(?:\.?(?:bak|orig|old|backup|tmp)|~)$/;

/** Reads the script and says what happens to files. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    const given = flags.get('-e') ?? [];
    const changes = flags.has('-i');
    const [suffix] = flags.get('-i') ?? [];
    if (suffix && !/^[\w.~-]+$/.test(suffix.value ?? '')) meaning.refuse('the ending of backups', suffix);
    // BSD sed takes the word behind `-i` for the ending of backups, GNU sed does not: `sed -i '' s/a/b/ file` must be harmless either way.
    const isBsd = process.platform === 'darwin' || process.platform === 'freebsd';
    const hasEmpty = changes && suffix === undefined && operands[0]?.value === '' && given.length === 0;
    if (isBsd && changes && suffix === undefined && !hasEmpty) meaning.refuse('sed -i without an ending of backups');
    const words = hasEmpty ? operands.slice(1) : operands;
    const [first, ...rest] = words;
    const scripts: readonly (CallWord | undefined)[] = given.length > 0 ? given : [first];
    const files = given.length > 0 ? words : rest;
    const texts = scripts.map((word) => {
      if (word === undefined) return meaning.refuse('sed without a script');
      if (word.value === undefined) return meaning.refuse('a sed script that is only known when it runs', word);
      // `$a\` adds a line break at the end of the file if there is none.
      const text = scripts.length === 1 ? word.value.replace(/(^|[;\n])\$a\\$/, '$1') : word.value;
      // A backslash at the end would join it with the next one.
      return text.endsWith('\\') ? meaning.refuse('a backslash at the end of a sed script', word) : text;
    });
    try {
      const { reads, writes } = readSed(texts.join('\n'));
      for (const file of reads) meaning.text('read', file);
      for (const file of writes) meaning.text('write', file);
    } catch (error) {
      if (error instanceof SedRefusal) meaning.refuse(error.message, scripts[0]);
      throw error;
    }
    for (const word of files) {
      meaning.role(changes ? 'write' : 'read', word);
      if (suffix?.value === undefined) continue;
      if (word.value !== undefined) meaning.text('write', word.value + suffix.value);
      else if (!USUAL_SUFFIX.test(suffix.value)) meaning.refuse('the ending of backups', suffix);
    }
  },
};
