#!/usr/bin/env node
/**
 * Bundles the command line and the pack host into packages/cli/dist. Every `import()` becomes a chunk of its own, so
 * that a command loads only the code it uses.
 *
 * A running tenon may import one of its chunks long after it started. New chunks are therefore written first, the
 * entries are replaced last, and the chunks of the build before are kept.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { quickProgram } from './bundle/quick-program.mjs';

const REPOSITORY = dirname(dirname(fileURLToPath(import.meta.url)));
const OUTPUT = 'packages/cli/dist';
const RECORD = 'bundle.json';

/** Entry name -> source, from the repository's root. */
const ENTRIES = {
  main: 'packages/cli/src/main.ts',
  'pack-host': 'packages/plugins/pack-host/src/host-main.ts',
  'pi-host': 'packages/plugins/pi-compat/src/host-main.ts',
};

/** Where it is missing (the small checkouts of the launcher's tests) the program loads as ES modules. */
const QUICK_LOADER = 'packages/cli/loader/quick-load.mjs';

/** Stay in node_modules: they bring binaries or WASM files that they look for beside their own code. */
export const EXTERNAL = [
  '@cursorless/tree-sitter-wasms',
  '@lydell/node-pty',
  '@napi-rs/keyring',
  '@repomix/tree-sitter-wasms',
  '@tenon/native-*',
  '@unit-mesh/treesitter-artifacts',
  '@vscode/tree-sitter-wasm',
  'esbuild',
  'libsql',
  'tinypool',
  'web-tree-sitter',
];

/** CommonJS packages inside an ES module still want a `require` for Node's own modules. */
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/**
 * The AI SDK asks zod for messages in English and for the names of version 3's types; in a bundle that would drag in every
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

/**
 * Prompts become compiled templates, and the compiler stays out of the bundle.
 * @type {import('esbuild').Plugin}
 */
const COMPILED_PROMPTS = {
  name: 'compiled-prompts',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]prompts[\\/][^\\/]+\.md$/ }, async ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('{{')) return { contents: text, loader: 'text' };
      const { default: Handlebars } = await import('handlebars');
      return { contents: `export default ${Handlebars.precompile(text, { noEscape: true })};`, loader: 'js' };
    });
    onLoad({ filter: /[\\/]packages[\\/]prompts[\\/]src[\\/]compile\.ts$/ }, ({ path }) => ({
      contents: readFileSync(join(dirname(path), 'precompiled.ts'), 'utf8'),
      loader: 'ts',
    }));
  },
};

/**
 * @param {{ root?: string, output?: string }} [options]
 * @returns {Promise<{ files: string[], entries: Record<string, { bytes: number, imports: string[] }> }>} what was written
 */
export async function bundle({ root = REPOSITORY, output = join(root, OUTPUT) } = {}) {
  const { build } = await import('esbuild');
  const entryPoints = Object.entries(ENTRIES).filter(([, source]) => existsSync(join(root, source)));
  const result = await build({
    absWorkingDir: root,
    entryPoints: entryPoints.map(([out, source]) => ({ in: join(root, source), out })),
    outdir: output,
    entryNames: '[name]',
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
    // Prompts are Markdown files that the code imports as text.
    loader: { '.md': 'text', '.py': 'text', '.text': 'text' },
    // Names stay readable in stack traces; only blanks and dead code go.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: REQUIRE },
    logLevel: 'silent',
    plugins: [LEAN_ZOD, COMPILED_PROMPTS],
  }).catch((error) => {
    throw new Error(describeFailure(error));
  });

  refuseLazyCommonJs(root, result.metafile);

  mkdirSync(join(output, 'chunks'), { recursive: true });
  const isEntry = (path) => dirname(path) === output;
  const [entries, chunks] = [
    result.outputFiles.filter((f) => isEntry(f.path)),
    result.outputFiles.filter((f) => !isEntry(f.path)),
  ];
  const quick = existsSync(join(root, QUICK_LOADER))
    ? await quickProgram({ root, output, metafile: result.metafile, files: result.outputFiles, banner: REQUIRE })
    : [];
  const replaced = new Set(quick.map(({ path }) => path));
  for (const file of [...chunks, ...entries]) if (!replaced.has(file.path)) writeAtomically(file.path, file.contents);
  for (const { path, contents } of quick) writeAtomically(path, contents);

  const described = describeOutputs(root, output, result.metafile);
  removeOldChunks(output, described.files);
  copyDocs(root, output);
  writeAtomically(join(output, RECORD), `${JSON.stringify(described, null, 2)}\n`);
  return described;
}

/** A chunk made of a CommonJS package has a default export only, so `const { X } = await import('cjs')` breaks when bundled. */
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

/** `docs://` reads the documentation beside the bundle where there is no repository around it. */
function copyDocs(root, output) {
  const folder = join(output, 'docs');
  rmSync(folder, { recursive: true, force: true });
  if (existsSync(join(root, 'docs'))) cpSync(join(root, 'docs'), folder, { recursive: true });
}

/** Keeps the chunks of this build and of the one before. */
function removeOldChunks(output, files) {
  const keep = new Set([...files, ...readPrevious(output)].map((file) => basename(file)));
  for (const name of readdirSync(join(output, 'chunks'))) {
    if (!keep.has(name)) rmSync(join(output, 'chunks', name), { force: true });
  }
}

function readPrevious(output) {
  try {
    return JSON.parse(readFileSync(join(output, RECORD), 'utf8')).files;
  } catch {
    return []; // The first build.
  }
}

function describeOutputs(root, output, metafile) {
  const name = (path) => relative(output, resolve(root, path));
  const outputs = Object.entries(metafile.outputs).map(([path, value]) => ({ path: name(path), ...value }));
  const entries = outputs
    .filter(({ path }) => !path.includes('/'))
    .map(({ path, bytes, imports }) => {
      // What is loaded with the entry; the rest waits for an import().
      const eager = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
      return [basename(path, '.js'), { bytes, imports: eager.map((one) => name(one.path)) }];
    });
  return { files: outputs.map(({ path }) => path).sort(), entries: Object.fromEntries(entries) };
}

function describeFailure(error) {
  if (!Array.isArray(error.errors)) return `the bundle could not be made: ${error.message}`;
  const lines = error.errors.map(({ text, location }) => {
    const where = location ? `${location.file}:${location.line}:${location.column + 1}: ` : '';
    const hint = text.startsWith('Could not resolve "@tenon/') ? ' (a new package? run `npm install` once)' : '';
    return `  ${where}${text}${hint}`;
  });
  return `the bundle could not be made:\n${lines.join('\n')}`;
}

function writeAtomically(path, contents) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const { files, entries } = await bundle();
    const sizes = Object.entries(entries).map(([entry, { bytes }]) => `${entry}.js ${(bytes / 1024).toFixed(1)} kB`);
    process.stderr.write(`bundled ${files.length} files into ${OUTPUT}: ${sizes.join(', ')}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
