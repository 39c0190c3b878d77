#!/usr/bin/env node
/**
 * Writes the table of built-in plugins from their manifests, so that Tenon knows what every plugin contributes without
 * importing any of them. Set-up makes the table; it is not committed. Run as a script this also keeps what must list all
 * plugins and is committed: the dependencies of packages/sdk and the references of every tsconfig.json.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { familyFiles, familyList } from './generate-families.mjs';
import { settingsFiles } from './generate-settings.mjs';
import { runGenerator, writeOutdated } from './generated-file.mjs';
import { loadSource } from './load-source.mjs';
import { fromRoot, pluginPackages, readJson, REPOSITORY, workspacePackages } from './workspace.mjs';

/** The package that puts everything together; the command line takes the table from it. */
const ROOT_PACKAGE = 'packages/sdk';
const COMMAND = 'node scripts/generate-builtins.mjs';

/** Writes the table if it is not up to date. @param {{ root?: string }} [options] */
export async function generateBuiltins({ root = REPOSITORY } = {}) {
  return writeOutdated(root, [...familyList(root), ...tableFiles(root)]);
}

/** All that this generator owns, after checking every manifest as the kernel would. @param {string} [root] */
export async function builtinFiles(root = REPOSITORY) {
  await checkManifests(root);
  const lists = [...(await familyFiles(root)), ...settingsFiles(root), ...tableFiles(root)];
  return [...lists, rootPackageFile(root), referencesFile(root), ...packageReferences(root)];
}

/**
 * Plugins that every prompt needs are loaded together: as modules of their own they and what they share would be some
 * 130 small files, and finding and linking those takes longer than running them.
 */
const isNeededByPrompts = ({ json }) => json.tenon.loadWith === 'prompt';

const exportName = ({ json }) => json.tenon.id.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());

function tableFiles(root) {
  const entries = pluginPackages(root).map((pkg, place) => {
    const { name, folder } = pkg;
    const load = isNeededByPrompts(pkg)
      ? `import('./prompt-plugins.ts').then((module) => module.${exportName(pkg)})`
      : `import(${JSON.stringify(name)}).then((module) => module.default)`;
    return `  { manifest: manifest(${place}), file: ${JSON.stringify(`${folder}/package.json`)}, checked: true, load: () => ${load} },`;
  });
  // One text: V8 reads it in half the time that it takes for as many objects in code. In ASCII alone it takes half the memory.
  const manifests = JSON.stringify(pluginPackages(root).map(({ json }) => manifestOf(json))).replaceAll(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const together = pluginPackages(root)
    .filter(isNeededByPrompts)
    .map((pkg) => `export { default as ${exportName(pkg)} } from ${JSON.stringify(pkg.name)};`);
  const text = `// Made by set-up from packages/plugins/*/*/package.json. Do not edit.
import type { PluginCandidate } from '@tenon/kernel';

type Manifest = PluginCandidate['manifest'];

const manifests = JSON.parse(${JSON.stringify(manifests)}) as Manifest[];
const manifest = (place: number) => manifests[place] as Manifest;

/** Every plugin that comes with Tenon. A test checks their manifests; their code is imported on first use. */
export const builtins: readonly PluginCandidate[] = [
${entries.join('\n')}
];
`;
  const folder = `${ROOT_PACKAGE}/src/generated`;
  return [
    { path: `${folder}/builtins.ts`, text },
    { path: `${folder}/prompt-plugins.ts`, text: `// Made by set-up. Do not edit.\n${together.join('\n')}\n` },
  ];
}

/** The manifest as the kernel sees it. @param {Record<string, any>} json */
export function manifestOf(json) {
  return { ...json.tenon, version: json.tenon.version ?? json.version };
}

async function checkManifests(root) {
  const { parseManifest } = await loadSource(
    root,
    "export { parseManifest } from './packages/kernel/src/parse-manifest.ts';",
  );
  const problems = [];
  for (const { json, folder } of pluginPackages(root)) {
    await parseManifest(json.tenon, `${folder}/package.json`, json.version).catch((error) =>
      problems.push(error.message),
    );
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Only adds what is missing; the rest of the file is written by people. */
function rootPackageFile(root) {
  const path = `${ROOT_PACKAGE}/package.json`;
  const text = readFileSync(join(root, path), 'utf8');
  const json = JSON.parse(text);
  const dependencies = { ...json.dependencies };
  const missing = pluginPackages(root).filter(({ name }) => !dependencies[name]);
  if (missing.length === 0) return { path, text };
  for (const { name } of missing) dependencies[name] = '*';
  const sorted = Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { path, text: `${JSON.stringify({ ...json, dependencies: sorted }, null, 2)}\n` };
}

function referencesFile(root) {
  const path = join(root, 'tsconfig.json');
  const references = workspacePackages(root)
    .filter(({ path }) => existsSync(join(path, 'tsconfig.json')))
    .map(({ folder }) => ({ path: `./${folder}` }));
  return { path: fromRoot(path, root), text: `${JSON.stringify({ ...readJson(path), references }, null, 2)}\n` };
}

/** What a package depends on, it references: otherwise the compiler would take the other's sources into this project. */
function packageReferences(root) {
  const packages = workspacePackages(root).filter(({ path }) => existsSync(join(path, 'tsconfig.json')));
  const byName = new Map(packages.map((pkg) => [pkg.name, pkg]));
  return packages.map(({ path, folder, json }) => {
    const file = join(path, 'tsconfig.json');
    const { references: _old, ...config } = readJson(file);
    const references = Object.keys(json.dependencies ?? {})
      .flatMap((name) => byName.get(name) ?? [])
      .map((other) => ({ path: relative(path, other.path) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    const text = JSON.stringify({ ...config, ...(references.length > 0 && { references }) }, null, 2);
    return { path: `${folder}/tsconfig.json`, text: `${text}\n` };
  });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  // The table repeats the manifest that the families are written into.
  await runGenerator(REPOSITORY, COMMAND, () => familyFiles(REPOSITORY));
  await runGenerator(REPOSITORY, COMMAND, () => builtinFiles());
}
