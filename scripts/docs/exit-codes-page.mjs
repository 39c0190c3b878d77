import { loadSource } from '../load-source.mjs';
import { errorCatalogues } from './errors-page.mjs';
import { pageHead } from './markdown.mjs';

/** docs/reference/exit-codes.md. @param {string} root */
export async function exitCodesPage(root) {
  const { exitCodesTable } = await loadSource(
    root,
    "export { exitCodesTable } from './packages/plugins/foundation/command-line/src/markdown.ts';",
  );
  const catalogues = await errorCatalogues(root);
  const errorsOf = (name) =>
    catalogues
      .flatMap(({ catalogue, exit }) =>
        Object.entries(catalogue).flatMap(([code, entry]) => ((entry.exit ?? exit) === name ? [code] : [])),
      )
      .sort()
      .map((code) => `[${code}](errors.md#${code.toLowerCase()})`)
      .join(', ');
  const head = pageHead('Exit codes', 'What the `tenon` command ends with, for scripts.');
  const text = `${head}
${exitCodesTable()}

A command that fails with an [error](errors.md) ends with the code of the error's class. All are of the class
\`failure\` but these:

- \`usage\`: ${errorsOf('usage')}
- \`config\`: ${errorsOf('config')}

The launcher \`./tenon\` of a checkout adds one: 69 when it cannot set the checkout up (no suitable Node.js, no npm, a
failing build); the reason is on standard error.
`;
  return { path: 'docs/reference/exit-codes.md', text };
}
