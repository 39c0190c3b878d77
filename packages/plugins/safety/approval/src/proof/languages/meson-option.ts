/** `-D NAME=value` of meson: words without a way elsewhere, and flags of compilers that load nothing. */
import type { Language } from '../language.ts';
import { HARMLESS_FLAG } from './cc.ts';
import { valueOf } from './option-table.ts';

/** An option. */
export const language: Language = {
  read([word], meaning) {
    const text = valueOf(word, meaning, 'an option');
    const [, name, value = ''] = /^([\w.:-]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined) return meaning.refuse(`the option ${text}`, word);
    // Where things would be installed.
    if (/^(prefix|\w+dir)$/.test(name)) return;
    if (/_(args|link_args)$/.test(name)) {
      for (const flag of value.split(/[\s,]+/))
        if (flag !== '' && !HARMLESS_FLAG.test(flag)) meaning.refuse(`the compiler's flag ${flag}`, word);
      return;
    }
    if (!/^[\w.,+ -]*$/.test(value)) meaning.refuse(`the option ${text}`, word);
  },
};
