/** Builds ES modules from the sources with esbuild. Every `import()` becomes a chunk of its own, so that a program loads only the code it uses. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { COMPILED_GRAMMARS } from './grammars.mjs';

/** Stay in node_modules: they bring binaries or WASM files that they look for beside their own code. */
export const EXTERNAL = [
  '@cursorless/tree-sitter-wasms',
  '@lydell/node-pty',
  '@napi-rs/keyring',
  '@repomix/tree-sitter-wasms',
  '@tenon/native-*',
  '@tree-sitter-grammars/tree-sitter-toml',
  '@vscode/tree-sitter-wasm',
  'esbuild',
  'libsql',
  'playwright-core',
  'tinypool',
  'web-tree-sitter',
  // Optional parts of DBOS, which are not installed and which it leaves alone then.
  '@opentelemetry/api',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-logs-otlp-proto',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/sdk-logs',
  '@opentelemetry/sdk-trace-base',
  'winston',
  'winston-transport',
];

/** Their entry for Node is UMD, whose inner modules esbuild cannot see. */
export const ALIAS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

/** CommonJS packages inside an ES module still want a `require` for Node's own modules. */
export const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/**
 * The AI SDK asks zod for messages in English and for the names of version 3's types; in the program that would drag in every
 * language and all of version 3, half a megabyte that is parsed before the first request.
 * @type {import('esbuild').Plugin}
 */
const LEAN_ZOD = {
  name: 'lean-zod',
  setup({ onLoad }) {
    const load = (contents) => ({ contents, loader: 'js' });
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () =>
      load("export { default as en } from './en.js';"),
    );
    onLoad({ filter: /[\\/]zod[\\/]v3[\\/]index\.js$/ }, () =>
      // Every name stands for itself there.
      load('export const ZodFirstPartyTypeKind = new Proxy({}, { get: (_, name) => name });'),
    );
  },
};

/** No helpers but those that packages/prompts/src/precompiled.ts has. */
export const PRECOMPILED = {
  noEscape: true,
  knownHelpersOnly: true,
  knownHelpers: { helperMissing: false, blockHelperMissing: false, with: false, log: false, lookup: false },
};

/**
 * Prompts become compiled templates, and the compiler stays out of the program.
 * @type {import('esbuild').Plugin}
 */
const COMPILED_PROMPTS = {
  name: 'compiled-prompts',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]prompts[\\/][^\\/]+\.md$/ }, async ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('{{')) return { contents: text, loader: 'text' };
      const { default: Handlebars } = await import('handlebars');
      return { contents: `export default ${Handlebars.precompile(text, PRECOMPILED)};`, loader: 'js' };
    });
    onLoad({ filter: /[\\/]packages[\\/]prompts[\\/]src[\\/]compile\.ts$/ }, ({ path }) => ({
      contents: readFileSync(join(dirname(path), 'precompiled.ts'), 'utf8'),
      loader: 'ts',
    }));
  },
};

const WORTH_PARSING = 1_000;

/**
 * V8 reads data as JSON in a third of the time that it takes for an object in code.
 * @type {import('esbuild').Plugin}
 */
const PARSED_JSON = {
  name: 'parsed-json',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:packages|native)[\\/].*\.json$/ }, ({ path }) => {
      if (/[\\/]node_modules[\\/]/.test(path)) return undefined;
      const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      if (text.length < WORTH_PARSING) return undefined;
      return { contents: `export default JSON.parse(${JSON.stringify(text)});`, loader: 'js' };
    });
  },
};

/**
 * What was built, by names as the modules use them among each other (`main.js`, `chunks/x.js`).
 * @typedef {import('esbuild').Metafile['outputs'][string]} Output
 * @typedef {{ outputs: Map<string, Output>, texts: Map<string, string>, reachable(entries: readonly string[]): string[] }} Modules
 */

/**
 * @param {string} root
 * @param {Readonly<Record<string, string>>} entries name of the entry -> its source, from the root
 * @param {{ instead?: Readonly<Record<string, string>> }} [options] `instead`: package -> the file that stands for it
 * @returns {Promise<Modules>}
 */
export async function buildModules(root, entries, { instead = {} } = {}) {
  const { build } = await import('esbuild');
  const outdir = join(root, 'program');
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([out, source]) => ({ in: join(root, source), out })),
    outdir,
    entryNames: '[dir]/[name]',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['tenon-source'],
    external: EXTERNAL,
    alias: { ...ALIAS, ...instead },
    // Prompts are Markdown files that the code imports as text.
    loader: { '.md': 'text', '.py': 'text', '.text': 'text' },
    // Names stay readable in stack traces; only blanks and dead code go.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: REQUIRE },
    logLevel: 'silent',
    plugins: [LEAN_ZOD, PARSED_JSON, COMPILED_PROMPTS, COMPILED_GRAMMARS],
  }).catch((error) => {
    throw new Error(describeFailure(error));
  });
  refuseLazyCommonJs(root, metafile);

  const nameOf = (path) => relative(outdir, resolve(root, path)).replaceAll('\\', '/');
  const named = Object.entries(metafile.outputs).map(([path, output]) => {
    const imports = output.imports.map((entry) => (entry.external ? entry : { ...entry, path: nameOf(entry.path) }));
    return /** @type {const} */ ([nameOf(path), { ...output, imports }]);
  });
  const outputs = new Map(named);
  return {
    outputs,
    texts: new Map(outputFiles.map((file) => [nameOf(file.path), file.text])),
    reachable: (from) => reachable(outputs, from),
  };
}

/** Everything that the entries can load, by import statement or import(). */
export function reachable(outputs, entries) {
  const names = new Set(entries);
  for (const name of names) {
    for (const { path, external } of outputs.get(name)?.imports ?? []) if (!external) names.add(path);
  }
  return [...names];
}

/** A chunk made of a CommonJS package has a default export only, so `const { X } = await import('cjs')` breaks once built. */
function refuseLazyCommonJs(root, { inputs }) {
  const problems = Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ kind, path, external }) => kind === 'dynamic-import' && !external && inputs[path]?.format === 'cjs')
      .filter(() => !/\bdefault\b/.test(readFileSync(join(root, file), 'utf8')))
      .map(({ original }) => `  ${file}: import('${original}')`),
  );
  if (problems.length === 0) return;
  const advice = 'Take them from `default`, or import() a module of yours that imports the package statically.';
  throw new Error(
    `CommonJS packages are imported lazily, which loses their named exports:\n${problems.join('\n')}\n${advice}`,
  );
}

function describeFailure(error) {
  if (!Array.isArray(error.errors)) return `the program could not be built: ${error.message}`;
  const lines = error.errors.map(({ text, location }) => {
    const where = location ? `${location.file}:${location.line}:${location.column + 1}: ` : '';
    const hint = text.startsWith('Could not resolve "@tenon/') ? ' (a new package? run `npm install` once)' : '';
    return `  ${where}${text}${hint}`;
  });
  return `the program could not be built:\n${lines.join('\n')}`;
}
