/** Who may import whom. The rules are those of docs/design/layout.md; scripts/test/house.test.ts holds the tree to them. */
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';

import { filesBelow, fromRoot, PLUGIN_GROUPS, readJson, REPOSITORY, workspacePackages } from './workspace.mjs';

/**
 * @typedef {{ from: string, file: string, specifier: string }} Import `from` is the importing package's folder
 * @typedef {import('./workspace.mjs').WorkspacePackage} WorkspacePackage
 */

/** What the kernel and native offer to plugins; `testing` is what packs test themselves with. */
const PUBLIC = [
  '@tenon/kernel',
  '@tenon/kernel/testing',
  '@tenon/host',
  '@tenon/log',
  '@tenon/native',
  '@tenon/prompts',
  '@tenon/schema',
  '@tenon/components',
  '@tenon/screen',
  '@tenon/state-files',
  '@tenon/wording',
];
/** They put everything together, so they may import everything. */
const COMPOSITION_ROOTS = ['packages/cli', 'packages/sdk', 'bench'];
/** It serves tests, and keeps their rules. */
const TEST_KIT = 'packages/test-kit';
/** What tests of every package may use beside public faces. */
const FOR_TESTS = ['@tenon/test-kit', '@tenon/model-fakes', '@tenon/sdk'];
/** They know nothing of plugins, and could be used without Tenon. */
const STANDALONE = ['native', 'packages/schema', 'packages/prompts', 'packages/wording', 'packages/screen'];
/** Packages with one user: everybody else goes through it. */
const ONE_USER = { 'proper-lockfile': 'packages/state-files', 'jsonc-parser': 'packages/state-files' };
const KERNEL_MAY_USE = ['@sinclair/typebox', '@tenon/schema', '@tenon/wording'];

/**
 * Every import of the package's source files, or of those of its tests: static, by import(), and for types alone.
 * @param {WorkspacePackage} pkg @param {'src' | 'test'} [part] @returns {Promise<Import[]>}
 */
export async function importsOf(pkg, part = 'src') {
  return (await findImports(codeFiles(pkg, part))).map((entry) => ({ from: pkg.folder, ...entry }));
}

/** What fixtures import is part of a test's data. @param {WorkspacePackage} pkg @param {'src' | 'test'} part */
function codeFiles(pkg, part) {
  return filesBelow(join(pkg.path, part)).filter(
    (path) => /\.[cm]?[jt]sx?$/.test(path) && !path.includes('/fixtures/'),
  );
}

/**
 * Imports as esbuild's parser sees them, so that text which only looks like an import does not count.
 * @param {readonly string[]} files @returns {Promise<{ file: string, specifier: string }[]>}
 */
export async function findImports(files) {
  const { build } = await import('esbuild');
  /** @type {{ file: string, specifier: string }[]} */
  const imports = [];
  await build({
    entryPoints: [...files],
    outdir: 'unused',
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    plugins: [
      {
        name: 'collect-imports',
        setup({ onLoad, onResolve }) {
          onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
            if (kind === 'entry-point') return undefined;
            imports.push({ file: importer, specifier: path });
            return { path, external: true };
          });
          // The parser drops imports of types; here they count like any other.
          onLoad({ filter: /\.[cm]?ts$/ }, ({ path }) => ({
            contents: readFileSync(path, 'utf8').replaceAll(
              /^(\s*(?:import(?= type [{*\w])|export(?= type [{*]))) type/gm,
              '$1',
            ),
            loader: 'ts',
          }));
        },
      },
    ],
  });
  return imports;
}

/**
 * What is wrong with one import; nothing when it is allowed.
 * @param {WorkspacePackage} pkg @param {Import} imported @returns {string | undefined}
 */
export function importProblem(pkg, { file, specifier }) {
  if (isOfTests(pkg, file)) return testImportProblem(pkg, file, specifier);
  const where = fromRoot(file);
  if (specifier.startsWith('.')) {
    const inside = !relative(join(pkg.path, 'src'), join(dirname(file), specifier)).startsWith('..');
    // A package may read its own package.json (for its version).
    const ownPackageJson = join(dirname(file), specifier) === join(pkg.path, 'package.json');
    return inside || ownPackageJson
      ? undefined
      : `${where} leaves its package by "${specifier}"; import the package by its name`;
  }
  if (specifier.startsWith('node:')) return undefined;
  if (builtinModules.includes(specifier)) return `${where} imports "${specifier}"; write "node:${specifier}"`;
  const name = packageName(specifier);
  const own = ownRule(pkg, specifier, name);
  if (own) return `${where} imports "${specifier}": ${own}`;
  const declared = { ...pkg.json.dependencies, ...pkg.json.optionalDependencies, ...pkg.json.peerDependencies };
  return declared[name] ? undefined : `${where} imports "${specifier}", which ${pkg.folder}/package.json does not list`;
}

const isOfTests = (pkg, file) => pkg.folder === TEST_KIT || !relative(join(pkg.path, 'test'), file).startsWith('..');

/** Tests use their own package, public faces of others, the test kit, and what their package or the root lists. */
function testImportProblem(pkg, file, specifier) {
  const where = fromRoot(file);
  if (specifier.startsWith('.')) return reachProblem(pkg, file, join(dirname(file), specifier));
  if (specifier.startsWith('node:')) return undefined;
  if (builtinModules.includes(specifier)) return `${where} imports "${specifier}"; write "node:${specifier}"`;
  const name = packageName(specifier);
  if (name === pkg.name) return undefined;
  const isPublic = PUBLIC.includes(specifier) || FOR_TESTS.includes(name) || specifier === `${name}/api`;
  if (name.startsWith('@tenon/') && !isPublic) {
    return `${where} imports "${specifier}": tests see the \`/api\` of other packages; @tenon/test-kit starts plugins by name`;
  }
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = pkg.json;
  const listed = { ...dependencies, ...optionalDependencies, ...peerDependencies, ...devDependencies };
  if (listed[name] || (!name.startsWith('@tenon/') && rootDevDependencies()[name])) return undefined;
  return `${where} imports "${specifier}", which ${pkg.folder}/package.json does not list under devDependencies`;
}

/** A test may reach for scripts, documents and examples of the checkout, not for files of another package. */
function reachProblem(pkg, file, target) {
  const path = fromRoot(target);
  const isElsewhere = /^(?:packages|native|bench)(?:\/|$)/.test(path) && relative(pkg.path, target).startsWith('..');
  return isElsewhere
    ? `${fromRoot(file)} reaches for ${path}, which belongs to another package; move what tests share to ${TEST_KIT}`
    : undefined;
}

const URL_REACH = /new URL\(\s*(['"`])(\.[^'"`$]*)[^,]*,\s*import\.meta\.url/g;
const JOINED_REACH = /(?:join|resolve)\(\s*import\.meta\.dirname((?:,\s*['"][^'"]*['"])+)/g;

/**
 * Paths that a test builds from its own folder and that lead into another package.
 * @param {WorkspacePackage} pkg @param {string} file @param {string} text @returns {string[]}
 */
export function reachesOutside(pkg, file, text) {
  const joined = [...text.matchAll(JOINED_REACH)].map(([, names]) =>
    [...names.matchAll(/['"]([^'"]*)['"]/g)].map(([, name]) => name).join('/'),
  );
  return [...[...text.matchAll(URL_REACH)].map((match) => match[2]), ...joined].flatMap(
    (path) => reachProblem(pkg, file, join(dirname(file), path)) ?? [],
  );
}

/** @param {WorkspacePackage} pkg @returns {string[]} */
export function testReaches(pkg) {
  return codeFiles(pkg, 'test').flatMap((file) => reachesOutside(pkg, file, readFileSync(file, 'utf8')));
}

/** What the package's layer forbids. */
function ownRule(pkg, specifier, name) {
  if (pkg.folder === 'packages/kernel') {
    return KERNEL_MAY_USE.includes(name) ? undefined : 'the kernel uses Node, TypeBox and our schema checks only';
  }
  const user = ONE_USER[name];
  if (user && user !== pkg.folder) return `only ${user} uses it; call that instead`;
  if (!name.startsWith('@tenon/')) return undefined;
  if (STANDALONE.includes(pkg.folder)) return `${pkg.folder} imports no package of ours`;
  if (COMPOSITION_ROOTS.includes(pkg.folder)) return undefined;
  if (['@tenon/cli', '@tenon/sdk', '@tenon/bench'].includes(name)) return 'nothing imports the composition root';
  if (PUBLIC.includes(specifier)) return undefined;
  if (specifier === `${name}/api`) return groupProblem(pkg, name);
  return name === '@tenon/kernel' || name === '@tenon/native'
    ? 'only the public face of the kernel and of native may be used'
    : 'of another plugin only its `/api` may be used';
}

/** A plugin looks at its own group and at those below it. */
function groupProblem(pkg, name) {
  const [from, to] = [groupOf(pkg.folder), groupOf(foldersByName().get(name) ?? '')];
  if (from < 0) return `${pkg.folder} is no plugin, and imports none`;
  return to <= from ? undefined : `the group ${GROUPS[from]} does not look at the group ${GROUPS[to]}`;
}

const GROUPS = Object.keys(PLUGIN_GROUPS);
const groupOf = (folder) => GROUPS.indexOf(/^packages\/plugins\/([^/]+)\//.exec(folder)?.[1] ?? '');

/** @type {Map<string, string> | undefined} */
let folders;
function foldersByName() {
  folders ??= new Map(workspacePackages().map(({ name, folder }) => [name, folder]));
  return folders;
}

/** @type {Record<string, string> | undefined} */
let rootTools;
function rootDevDependencies() {
  if (rootTools === undefined) {
    const { dependencies, devDependencies } = readJson(join(REPOSITORY, 'package.json'));
    rootTools = { ...dependencies, ...devDependencies };
  }
  return rootTools ?? {};
}

/** What a package lists but its layer forbids. @param {WorkspacePackage} pkg @returns {string[]} */
export function dependencyProblems(pkg) {
  const listed = Object.keys({
    ...pkg.json.dependencies,
    ...pkg.json.optionalDependencies,
    ...pkg.json.peerDependencies,
  });
  const forbidden = listed.filter((name) => {
    if (pkg.folder === 'packages/kernel') return !KERNEL_MAY_USE.includes(name);
    if (STANDALONE.includes(pkg.folder)) return name.startsWith('@tenon/') && !name.startsWith('@tenon/native-');
    if (COMPOSITION_ROOTS.includes(pkg.folder)) return false;
    return ['@tenon/cli', '@tenon/bench', '@tenon/test-kit'].includes(name);
  });
  return forbidden.map((name) => `${pkg.folder}/package.json must not depend on ${name}`);
}

function packageName(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
