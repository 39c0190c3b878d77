/** cp, mv and install: what is read below folders, and what is written into the folder of `-t`. */
import { basename, join } from 'node:path';
import type { Check } from '../language.ts';

/** Adds what the list of operands does not say. */
export const check: Check = {
  check({ path, flags, operands }, meaning) {
    const [folder] = flags.get('-t') ?? [];
    const sources = folder ? operands : operands.slice(0, -1);
    if (path[0] === 'cp' && (flags.has('-R') || flags.has('-a')))
      for (const source of sources) meaning.role('search', source);
    for (const { value } of folder ? sources : []) {
      const name = basename(value ?? '');
      // It keeps its name: `cp -t .tenon a/policy.yml` writes `.tenon/policy.yml`.
      if (folder?.value !== undefined && name !== '') meaning.text('write', join(folder.value, name));
    }
    for (const suffix of flags.get('-S') ?? [])
      if (!/^[\w.~-]+$/.test(suffix.value ?? '')) meaning.refuse('the ending of backups', suffix);
  },
};
