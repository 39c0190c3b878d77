/** The list of discovery's families, from the files that are there: a new family is one file. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'packages/plugins/ecosystem/discovery/src/families';
const INDEX = 'index.ts';

/** The generated files. @param {string} root */
export function familyFiles(root) {
  // The small checkouts of the launcher's tests have no discovery.
  if (!existsSync(join(root, FOLDER))) return [];
  const names = readdirSync(join(root, FOLDER))
    .filter((name) => name.endsWith('.ts') && name !== INDEX)
    .map((name) => name.slice(0, -'.ts'.length))
    .sort();
  const imports = names.map((name) => `import { family as ${name} } from './${name}.ts';`);
  const text = `// Made by \`npm run generate\` from the files of this folder. Do not edit.
import type { Family } from '../family.ts';
${imports.join('\n')}

/** Every family that comes with Tenon. */
export const families: readonly Family[] = [
${names.map((name) => `  ${name},`).join('\n')}
];
`;
  return [{ path: `${FOLDER}/${INDEX}`, text }];
}
