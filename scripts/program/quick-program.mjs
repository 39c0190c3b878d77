/**
 * Makes the file that packages/cli/loader/quick-load.cjs loads: every module that the command line can reach, as CommonJS, one behind
 * the other. The ES modules stay beside it for the processes that Tenon starts (pack hosts, workers).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { REQUIRE } from './modules.mjs';

/** What loads the file, from the root. */
export const QUICK_LOADER = 'packages/cli/loader/quick-load.cjs';
const NAMES = 'exports,require,module,__import,__url';

/** What `tenon` imports until its first frame is drawn; it stands first in the file, and the loader reads it at once. */
const START = [
  'packages/cli/src/shell.ts',
  ...['command-line', 'settings', 'settings-files'].map((name) => `packages/plugins/foundation/${name}/src/plugin.ts`),
  'packages/plugins/ecosystem/packs/src/plugin.ts',
  'packages/plugins/modes/modes/src/plugin.ts',
  'packages/plugins/modes/modes/src/run-mode.ts',
  'packages/plugins/modes/interactive-mode/src/plugin.ts',
  'packages/plugins/modes/interactive-mode/src/interactive.ts',
  'native/src/text/js.ts',
];
/** Node keeps a text outside of V8's heap from 1,031,913 bytes on: there it is not copied, and brings no collection nearer. */
const LEAST_START_BYTES = 1_040_000;

/**
 * @param {string} root @param {import('./modules.mjs').Modules} modules
 * @returns {Promise<{ name: string, contents: Uint8Array | string }[]>} what to write, the changed entry last
 */
export async function quickProgram(root, { outputs, texts, reachable }) {
  const start = startModules(root, outputs);
  const all = new Set([...start, ...reachable(['main.js'])]);
  all.delete('main.js');
  const names = [...all];
  const [{ transform }, lexer] = await Promise.all([import('esbuild'), import('es-module-lexer')]);
  await lexer.init;
  const codes = await Promise.all(
    names.map(async (name) => {
      const source = withOwnImports((texts.get(name) ?? '').replace(REQUIRE, ''), lexer.parse);
      const { code } = await transform(source, {
        format: 'cjs',
        platform: 'node',
        target: 'node20.19',
        sourcefile: `${name.replace(/\.js$/, '')}.mjs`,
        define: { 'import.meta.url': '__url' },
        minifySyntax: true,
        minifyWhitespace: true,
        legalComments: 'none',
      });
      return `(function(${NAMES}){${withLateImports(code)}\n})`;
    }),
  );
  const parts = codes.map((code) => Buffer.from(code));
  const modules = {};
  let at = 0;
  for (const [index, { length }] of parts.entries()) {
    // Plain ASCII, which nearly all are, becomes a string without being decoded.
    modules[names[index]] = [at, length, length === codes[index].length ? 'latin1' : 'utf8'];
    at += length;
  }
  const program = Buffer.concat(parts);
  const [lastStart = 0, lastLength = 0] = modules[start.at(-1) ?? ''] ?? [];
  const startBytes = Math.min(program.length, Math.max(lastStart + lastLength, LEAST_START_BYTES));
  const id = createHash('sha256').update(program).digest('hex').slice(0, 16);
  return [
    { name: 'program.txt', contents: program },
    { name: 'program.json', contents: JSON.stringify({ id, start: startBytes, modules }) },
    { name: 'quick-load.cjs', contents: readFileSync(join(root, QUICK_LOADER)) },
    { name: 'main.cjs', contents: await commonMain(texts.get('main.js') ?? '', transform) },
    { name: 'main.js', contents: MAIN },
  ];
}

/** For programs that start the module: the same program, over Node's loader of ES modules. */
const MAIN = "import{createRequire}from'node:module';createRequire(import.meta.url)('./main.cjs');\n";

/** The entry as CommonJS: it starts without Node's loader of ES modules. What it imports comes from the quick loader. */
async function commonMain(source, transform) {
  const own = source.replace(REQUIRE, '').replaceAll(/\bimport"\.\/chunks\/[^"]+";/g, '');
  const quick = own.replaceAll(
    /\bimport\("\.\/(chunks\/[^"]+)"\)/g,
    (_, name) => `Promise.resolve().then(()=>require("./quick-load.cjs").load("${name}"))`,
  );
  const { code } = await transform(quick, { format: 'cjs', platform: 'node', target: 'node20.19', minify: true });
  const left = /\bimport\b[^"]{0,3}"\.|require\("\.\/chunks/.exec(code);
  if (left) throw new Error(`main.ts imports more than the shell: ${code.slice(left.index, left.index + 80)}`);
  return code;
}

/** The modules of a start, with all that they import by a statement. @param {string} root @param {import('./modules.mjs').Modules['outputs']} outputs */
function startModules(root, outputs) {
  const entries = new Map([...outputs].map(([name, { entryPoint }]) => [entryPoint, name]));
  const names = new Set();
  // The small checkouts of the launcher's tests have only some of them.
  for (const source of START.filter((path) => existsSync(join(root, path)))) {
    const name = entries.get(source);
    if (name === undefined)
      throw new Error(`${source} is no module of its own: mend START in scripts/program/quick-program.mjs`);
    names.add(name);
  }
  for (const name of names) {
    for (const { path, kind, external } of outputs.get(name)?.imports ?? [])
      if (!external && kind === 'import-statement') names.add(path);
  }
  return [...names];
}

/** Code that V8 took from a cache cannot import(): the loader does it instead. Found by a lexer, because texts speak of imports too. */
function withOwnImports(code, parse) {
  const [imports] = parse(code);
  return imports
    .filter(({ d }) => d >= 0)
    .toReversed()
    .reduce((text, { ss }) => `${text.slice(0, ss)}__import${text.slice(ss + 'import'.length)}`, code);
}

/** `name = require("…")`, and a CommonJS package that the bundler wrapped: `name = __toESM(require_…())`. */
const IMPORT =
  /\b(import_\w+)=(require\("[^"]+"\)|\(0,import_\w+\.__toESM\)\(\(0,import_\w+\.require_\w+\)\(\)(?:,1)?\))(?=[,;])/g;

/** The variable of a late import, and the function that fills it. */
const [LATE, LOAD] = ['$i', '$I'];

/**
 * Loads what a module imports when it first uses it: of what a command could need it uses a part, and the rest is neither
 * compiled nor kept in memory. A name stays as it is where anything but a member of it is used. A use looks at the variable and
 * calls only when it is empty: code that runs for every token should not pay for a call. Names are short, because they come often.
 * @param {string} code a module as CommonJS
 */
export function withLateImports(code) {
  const found = [...code.matchAll(IMPORT)].filter(([, name]) => isLate(name, code));
  if (found.length === 0) return code;
  if (/\$i\d/i.test(code)) throw new Error('a module has names like $i1: choose others for LATE and LOAD');
  const short = new Map(found.map(([, name], index) => [name, index]));
  const uses = new RegExp(`\\b(${[...short.keys()].join('|')})\\.`, 'g');
  const used = (text) =>
    text.replaceAll(uses, (_, name) => `(${LATE}${short.get(name)}??${LOAD}${short.get(name)}()).`);
  const rest = code.replaceAll(IMPORT, (whole, name) => (short.has(name) ? `${LATE}${short.get(name)}` : whole));
  const functions = found.map(
    ([, name, value]) => `function ${LOAD}${short.get(name)}(){return ${LATE}${short.get(name)}=${used(value)}}`,
  );
  return functions.join('') + used(rest);
}

/** True when every mention of the name but the first is a use of one of its members. */
function isLate(name, code) {
  const mentions = code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
  const uses = code.match(new RegExp(`\\b${name}\\.`, 'g'))?.length ?? 0;
  return mentions === uses + 1;
}
