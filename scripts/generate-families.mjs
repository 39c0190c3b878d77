/** What discovery's families need elsewhere, from their files: the list of them, their places in the manifest and in the guide. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadSource } from './load-source.mjs';
import { readJson } from './workspace.mjs';

const PLUGIN = 'packages/plugins/ecosystem/discovery';
const FOLDER = `${PLUGIN}/src/families`;
const INDEX = 'index.ts';
const GUIDE = 'docs/guide/discovery.md';
const TABLE = /^\| family \| priority \|.*\n(?:\|.*\n)+/m;

/** The list of families: a new one is one file. @param {string} root */
export function familyList(root) {
  // The small checkouts of the launcher's tests have no discovery.
  if (!existsSync(join(root, FOLDER))) return [];
  const names = familyNames(root);
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

/** The list, the manifest with the places that the families protect, and the guide. @param {string} root */
export async function familyFiles(root) {
  const code = familyNames(root).map((name) => `export { family as ${name} } from './${FOLDER}/${name}.ts';`);
  const families = Object.values(await loadSource(root, code.join('\n')));
  const path = `${PLUGIN}/package.json`;
  const json = readJson(join(root, path));
  json.tenon.contributes['protected-places'] = Object.fromEntries(
    families.flatMap(({ id, protects }) => (protects ? [[id, protects]] : [])),
  );
  const guide = readFileSync(join(root, GUIDE), 'utf8').replace(TABLE, () => placesTable(families));
  return [...familyList(root), { path, text: `${JSON.stringify(json, null, 2)}\n` }, { path: GUIDE, text: guide }];
}

function placesTable(families) {
  const rows = families.flatMap(({ id, priority, places = {}, looks }) =>
    Object.entries(places).map(([name, [user, project = '']]) => {
      const rank = looks.find((look) => (look.id ?? id) === name)?.priority ?? priority;
      return { rank, text: `| ${name} | ${rank} | ${user} | ${project} |\n` };
    }),
  );
  const sorted = rows.sort((a, b) => b.rank - a.rank || (a.text < b.text ? -1 : 1));
  return `| family | priority | user | project |\n|---|---|---|---|\n${sorted.map(({ text }) => text).join('')}`;
}

function familyNames(root) {
  return readdirSync(join(root, FOLDER))
    .filter((name) => name.endsWith('.ts') && name !== INDEX)
    .map((name) => name.slice(0, -'.ts'.length))
    .sort();
}
