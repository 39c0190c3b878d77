import { loadSource } from '../load-source.mjs';
import { pageHead } from './markdown.mjs';

/** docs/reference/exit-codes.md. @param {string} root */
export async function exitCodesPage(root) {
  const { exitCodesTable } = await loadSource(
    root,
    "export { exitCodesTable } from './packages/plugins/foundation/command-line/src/markdown.ts';",
  );
  const head = pageHead('Exit codes', 'What the `tenon` command ends with, for scripts.');
  const text = `${head}
${exitCodesTable()}

The launcher \`./tenon\` of a checkout adds one: 69 when it cannot set the checkout up (no suitable Node.js, no npm, a
failing build); the reason is on standard error.
`;
  return { path: 'docs/reference/exit-codes.md', text };
}
