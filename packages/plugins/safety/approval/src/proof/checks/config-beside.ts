/** Formatters and linters that look for their configuration beside the files that they are given: it is code, or names some. */
import type { Check } from '../language.ts';

/** Folders whose configuration is used. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const { value } of operands) {
      // The engine judges names that are not known, and addresses.
      if (value === undefined || value === '-' || value.startsWith('@') || /^[\w+.-]+:/.test(value)) continue;
      const path = value.replace(/^!/, '');
      // Patterns lie below what stands in front of them.
      const [fixed = ''] = path.split(/[*?[{]/, 1);
      const isFile = fixed !== path || /[^/.][^/]*\.[^/.]+$/.test(path);
      meaning.text('folder-of-code', (isFile ? fixed.replace(/[^/]*$/, '') : fixed) || '.');
    }
  },
};
