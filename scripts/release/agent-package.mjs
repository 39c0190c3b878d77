/**
 * Makes the package of the program: one bundle that needs no other package of ours. The command line is the quick program; ES modules
 * are there for the processes that it starts and for nothing else.
 */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

import { PROGRAMS } from '../build-program.mjs';
import { buildModules } from '../program/modules.mjs';
import { describeModules, writeModules } from '../program/output-folder.mjs';
import { PROGRAM_SOURCES, quickProgram } from '../program/quick-program.mjs';
import { buildWebPage } from '../program/web-page.mjs';
import { filesBelow, fromRoot, readJson } from '../workspace.mjs';
import { BUNDLED, copyBundled, packageFolder } from './bundled.mjs';
import { commandFiles } from './command-files.mjs';
import { put, putJson } from './files.mjs';
import { AGENT, commonFields, releaseVersion } from './identity.mjs';
import { addonHash } from './native-package.mjs';
import { PLATFORMS } from './platforms.mjs';
import { licenceProblems, npmPart, npmParts, thirdPartyPage } from './third-party.mjs';

/** Modules that run in threads: they are loaded by their path. */
const THREADS = ['packages/plugins/tools/web-tools/src/page/html-worker.ts'];

/** Stands for libsql, which is large: Node.js has a SQLite of its own. */
const SQLITE = 'scripts/release/sqlite.mjs';

/** npm goes on where it has no binary of them; Tenon uses it only where the addon does not serve. */
const OPTIONAL = ['@lydell/node-pty'];
/** Large, and needed for one thing each. Where one is missing, what needs it names it. */
const ON_DEMAND = ['@napi-rs/keyring', 'libsql', 'playwright-core', 'sharp'];
const GRAMMARS = '@tenon/grammars';

/**
 * @param {string} root @param {string} folder where the package is made
 * @returns {Promise<{ builtIn: import('./third-party.mjs').Part[], problems: string[] }>} the packages of others inside of the
 *   program, and what must not be published
 */
export async function makeAgentPackage(root, folder) {
  const version = releaseVersion(root);
  const dist = join(folder, 'dist');
  const options = { instead: { libsql: join(root, SQLITE) } };
  const modules = await buildModules(root, PROGRAMS, options);
  const hosts = Object.keys(PROGRAMS).filter((name) => name !== 'main');
  const threads = [...modules.outputs].filter(([, { entryPoint }]) => THREADS.includes(entryPoint ?? ''));
  if (threads.length !== THREADS.length) throw new Error(`not found in the build: one of ${THREADS.join(', ')}`);
  const names = modules.reachable([...hosts.map((name) => `${name}.js`), ...threads.map(([name]) => name)]);
  const plain = names.map((name) => ({ name, contents: modules.texts.get(name) ?? '' }));
  const quick = (await quickProgram(root, modules, options)).filter(({ name }) => name !== PROGRAM_SOURCES);
  writeModules(dist, [...plain, ...quick], describeModules(modules, names));
  copyPages(root, join(dist, 'docs'));
  await buildWebPage(root, dist);

  for (const [path, text] of Object.entries(await commandFiles(root, version))) put(join(folder, path), text);
  put(join(folder, 'bin/tenon.cjs'), "#!/usr/bin/env node\n'use strict';\nrequire('../dist/main.cjs');\n");
  // Versions before this one look for it when they update themselves.
  put(join(folder, 'bin/tenon.mjs'), "#!/usr/bin/env node\nimport '../dist/main.js';\n");
  // The loader of the addon refuses one that was built from other sources than this program.
  putJson(join(folder, 'native/package.json'), { name: '@tenon/native', version, private: true });
  putJson(join(folder, 'native/tenon.node.json'), { hash: addonHash(root), published: true });
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, name), join(folder, name));
  put(join(folder, 'README.md'), readFileSync(join(root, 'scripts/release/README.tenon-agent.md')));

  const bundled = copyBundled(root, folder);
  const manifest = agentManifest(root, bundled);
  putJson(join(folder, 'package.json'), manifest);

  const inputs = new Set([...modules.outputs.values()].flatMap((output) => Object.keys(output.inputs)));
  const builtIn = npmParts(root, [...inputs, ...(await pageInputs(root))]);
  const parts = [...builtIn, ...BUNDLED.map((name) => npmPart(packageFolder(root, name)))];
  put(join(folder, 'THIRD-PARTY.md'), thirdPartyPage(AGENT, parts));
  return { builtIn, problems: [...licenceProblems(parts), ...unlisted(modules, manifest)] };
}

function agentManifest(root, bundled) {
  const { description } = readJson(join(root, 'package.json'));
  const { version, license, repository, engines, publishConfig } = commonFields(root, 'packages/cli');
  const installed = (name) => readJson(join(packageFolder(root, name), 'package.json')).version;
  const ranges = Object.fromEntries(ON_DEMAND.map((name) => [name, `^${installed(name)}`]));
  const peers = { ...ranges, [GRAMMARS]: version };
  return {
    name: AGENT,
    version,
    description,
    keywords: ['agent', 'coding-agent', 'cli', 'llm', 'mcp'],
    license,
    repository,
    type: 'module',
    engines,
    bin: { tenon: 'bin/tenon.cjs' },
    man: ['man/tenon.1'],
    exports: { './package.json': './package.json' },
    files: ['bin', 'completions', 'dist', 'man', 'native', 'CHANGELOG.md', 'THIRD-PARTY.md'],
    dependencies: bundled,
    bundleDependencies: Object.keys(bundled),
    optionalDependencies: {
      ...Object.fromEntries(PLATFORMS.map(({ name }) => [`@tenon/native-${name}`, version])),
      ...Object.fromEntries(OPTIONAL.map((name) => [name, installed(name)])),
    },
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }])),
    publishConfig,
  };
}

/** The pages, for `docs://`; pictures stay in the repository. */
function copyPages(root, target) {
  for (const path of filesBelow(join(root, 'docs')))
    if (/\.(?:md|json)$/.test(path)) put(join(target, fromRoot(path, join(root, 'docs'))), readFileSync(path));
}

/** What the control room's page is made of. */
async function pageInputs(root) {
  const source = join(root, 'packages/plugins/modes/web/src/page/main.tsx');
  if (!existsSync(source)) return [];
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [source],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outfile: 'app.js',
    loader: { '.css': 'text', '.svg': 'text', '.woff2': 'empty' },
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

/** What the code imports and npm would not install would fail only in use, on another machine. */
function unlisted({ outputs }, manifest) {
  const listed = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
  const imported = [...outputs.values()]
    .flatMap(({ imports }) => imports)
    // Packages that are built in guard what they require() and do not list.
    .filter(({ kind, external }) => external && kind !== 'require-call')
    .map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(imported)]
    .filter((name) => !isBuiltin(name) && !listed[name])
    .map((name) => `the program imports ${name}; say in scripts/release/agent-package.mjs how it gets installed`);
}
