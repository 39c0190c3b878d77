/**
 * Makes packages/sdk/dist a package of its own: what is built in needs no other package of ours, and the manifest lists what
 * stays outside. `npm pack ./packages/sdk/dist` gives what programs outside of this repository install.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

import { readJson, workspacePackages } from '../workspace.mjs';
import { copyDocs, describeModules, writeAtomically, writeModules } from './output-folder.mjs';

/** The built package, from the repository's root. */
export const SDK_OUTPUT = 'packages/sdk/dist';
/** What programs import -> its source, from the root. */
export const SDK_ENTRIES = {
  index: 'packages/sdk/src/index.ts',
  'rpc-client': 'packages/sdk/src/rpc-client.ts',
};
/** The command line inside the package, which RpcClient starts. */
const PROGRAM = 'program.js';

/** Packages that are found by name when the code runs. */
const NEEDED = [
  // Its types are part of ours.
  '@sinclair/typebox',
  // Without the addon, commands are judged with its grammar of bash.
  '@vscode/tree-sitter-wasm',
  'jiti',
  // Looks for files beside its own code.
  'playwright-core',
  'tinypool',
  'unpdf',
  'web-tree-sitter',
];
/** npm installs them too, but goes on where their binaries do not exist; what uses them then says so. */
const WITH_BINARIES = ['@lydell/node-pty', '@napi-rs/keyring', 'libsql', 'sharp'];
/** More languages for outlines and structural search without the addon. More than 100 MB: who wants that installs them. */
const GRAMMARS = [
  '@cursorless/tree-sitter-wasms',
  '@repomix/tree-sitter-wasms',
  '@tree-sitter-grammars/tree-sitter-toml',
];

/**
 * @param {string} root
 * @param {import('./modules.mjs').Modules} modules
 * @param {readonly string[]} programs the entries of the command line and of the processes that it starts
 * @returns {import('./output-folder.mjs').Description}
 */
export function writeSdkPackage(root, modules, programs) {
  const output = join(root, SDK_OUTPUT);
  const names = modules.reachable([...Object.keys(SDK_ENTRIES).map((name) => `${name}.js`), ...programs]);
  const manifest = sdkManifest(root);
  refuseUnlisted(modules, names, manifest);
  const files = names.map((name) => ({
    name: name === 'main.js' ? PROGRAM : name,
    contents: modules.texts.get(name) ?? '',
  }));
  const description = describeModules(modules, names);
  writeModules(output, files, description);
  removeOthers(output, files);
  copyDocs(root, output);
  copyExamples(root, output);
  const readme = readFileSync(join(root, 'packages/sdk/README.md'), 'utf8');
  writeAtomically(join(output, 'README.md'), readme.replaceAll(/\]\(\.\.\/\.\.\/(docs|examples)(?:\/sdk)?\b/g, ']($1'));
  writeAtomically(join(output, 'LICENSE'), readFileSync(join(root, 'LICENSE')));
  writeAtomically(join(output, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return description;
}

/** The manifest of the built package. Versions come from the packages that use the dependencies. @param {string} root */
export function sdkManifest(root) {
  const { name, version, description, license, type, sideEffects, engines, exports } = readJson(
    join(root, 'packages/sdk/package.json'),
  );
  const ranges = declaredRanges(root);
  const pick = (names) => Object.fromEntries(names.map((name) => [name, rangeOf(ranges, name)]));
  const peers = { ...pick(GRAMMARS), ...addonPackages(root) };
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects,
    engines,
    exports: publishedExports(exports),
    files: ['*.js', 'chunks', 'docs', 'examples', 'types'],
    dependencies: pick(NEEDED),
    optionalDependencies: pick(WITH_BINARIES),
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }])),
  };
}

/** The entries that lead into dist, seen from there. */
function publishedExports(exports) {
  const entries = Object.entries(exports).flatMap(([path, conditions]) => {
    const published = Object.entries(conditions)
      .filter(([, target]) => target.startsWith('./dist/'))
      .map(([condition, target]) => [condition, target.replace('./dist/', './')]);
    return published.length > 0 ? [[path, Object.fromEntries(published)]] : [];
  });
  return { ...Object.fromEntries(entries), './package.json': './package.json' };
}

function declaredRanges(root) {
  const lists = workspacePackages(root).map(({ json }) => ({ ...json.dependencies, ...json.optionalDependencies }));
  return Object.assign({}, ...lists);
}

function rangeOf(ranges, name) {
  if (ranges[name]) return ranges[name];
  throw new Error(`no package of the workspace depends on ${name}; take it out of scripts/program/sdk-package.mjs`);
}

/** The addon comes in a package per platform, of exactly this version. */
function addonPackages(root) {
  const folder = join(root, 'native/npm');
  const manifests = readdirSync(folder).map((platform) => readJson(join(folder, platform, 'package.json')));
  return Object.fromEntries(manifests.map(({ name, version }) => [name, version]));
}

/** What the code imports and npm would not install would fail only in use, on another machine. */
function refuseUnlisted({ outputs }, names, manifest) {
  const listed = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
  const imported = names
    .flatMap((name) => outputs.get(name)?.imports ?? [])
    // Packages that are built in guard what they require() and do not list.
    .filter(({ kind, external }) => external && kind !== 'require-call')
    .map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
  const missing = imported.filter((name) => !isBuiltin(name) && !listed[name]);
  if (missing.length === 0) return;
  throw new Error(
    `the SDK imports ${missing.join(', ')}; say in scripts/program/sdk-package.mjs how it gets installed`,
  );
}

/** What an older build left must not be packed. `declarations` is what the compiler writes for the packages of this repository. */
function removeOthers(output, files) {
  const ours = new Set(files.map(({ name }) => name));
  const permanent = [
    'LICENSE',
    'README.md',
    'chunks',
    'declarations',
    'docs',
    'examples',
    'modules.json',
    'package.json',
    'types',
  ];
  for (const name of readdirSync(output)) {
    if (!ours.has(name) && !permanent.includes(name) && !name.endsWith('.tmp'))
      rmSync(join(output, name), { recursive: true, force: true });
  }
}

function copyExamples(root, output) {
  const folder = join(output, 'examples');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, 'examples/sdk'), folder, { recursive: true });
  const readme = join(folder, 'README.md');
  writeAtomically(readme, readFileSync(readme, 'utf8').replaceAll('](../../docs/', '](../docs/'));
}
