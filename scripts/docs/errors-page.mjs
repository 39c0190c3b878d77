import { join } from 'node:path';

import { loadSource } from '../load-source.mjs';
import { filesBelow, fromRoot } from '../workspace.mjs';
import { code, pageHead } from './markdown.mjs';

/**
 * Every catalogue of coded errors, found by file name: `errors.ts`, or a name that ends in `-errors.ts`.
 * @param {string} root
 * @returns {Promise<{ owner: string, exit: string, catalogue: Record<string, { summary: string, next: string, exit?: string }>, file: string }[]>}
 */
export async function errorCatalogues(root) {
  const files = ['packages', 'native/src']
    .flatMap((folder) => filesBelow(join(root, folder)))
    .filter((path) => /[\\/]src[\\/](?:.*[\\/-])?errors\.ts$/.test(path))
    .map((path) => fromRoot(path, root));
  const lines = files.map((file, index) => `import * as m${index} from ${JSON.stringify(`./${file}`)};`);
  lines.push(`export const modules = [${files.map((_, index) => `m${index}`).join(', ')}];`);
  const { modules } = await loadSource(root, lines.join('\n'));
  return modules.flatMap((module, index) =>
    Object.values(module)
      .filter((value) => typeof value === 'object' && value !== null && 'owner' in value && 'catalogue' in value)
      .map(({ owner, exit, catalogue }) => ({ owner, exit, catalogue, file: files[index] })),
  );
}

/** docs/reference/errors.md. @param {string} root */
export async function errorsPage(root) {
  const catalogues = await errorCatalogues(root);
  // The kernel first, then the plugins by name.
  catalogues.sort(
    (a, b) => Number(b.owner === 'kernel') - Number(a.owner === 'kernel') || (a.owner < b.owner ? -1 : 1),
  );
  const { EXIT } = await loadSource(root, "export { EXIT } from '@tenon/command-line/api';");
  const sections = catalogues.map(({ owner, exit, catalogue, file }) => {
    const entries = Object.entries(catalogue)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, entry]) => {
        const ending = entry.exit ?? exit;
        const note =
          ending === 'failure' ? '' : `\nA command ends with [${EXIT[ending]} (${ending})](exit-codes.md).\n`;
        return `### ${name}\n\n${prose(entry.summary)}\n\n**What to do:** ${prose(entry.next)}\n${note}`;
      });
    return `## ${owner}\n\nDefined in ${code(file)}.\n\n${entries.join('\n')}`;
  });
  const head = pageHead(
    'Errors',
    'Every error that Tenon reports has a code, the part that raised it, and what to do next. Words in braces stand for\nthe names of the case at hand. A command that fails with one ends with [exit code](exit-codes.md) 1 (failure) unless it says otherwise.',
  );
  return { path: 'docs/reference/errors.md', text: `${head}\n${sections.join('\n')}` };
}

/** Placeholders and tags must survive Markdown. */
function prose(text) {
  return text.replaceAll('<', '&lt;').replaceAll('*', '\\*');
}
