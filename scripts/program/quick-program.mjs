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

const plugin = (name) => `packages/plugins/${name}/src/plugin.ts`;

/**
 * What is loaded together, each with all that it imports by a statement: such modules form one script, because a hundred small ones take longer to
 * load. What every command needs comes first, then what a screen needs until its first frame, and what a prompt needs until its first request.
 */
const REGIONS = [
  [
    'packages/cli/src/shell.ts',
    ...[
      'foundation/command-line',
      'foundation/settings',
      'foundation/settings-files',
      'ecosystem/packs',
      'modes/modes',
    ].map(plugin),
    'packages/plugins/modes/modes/src/run-mode.ts',
  ],
  [
    plugin('modes/interactive-mode'),
    'packages/plugins/modes/interactive-mode/src/interactive.ts',
    'native/src/text/js.ts',
  ],
  [
    'packages/sdk/src/generated/prompt-plugins.ts',
    'packages/plugins/modes/print-mode/src/print.ts',
    'packages/plugins/modes/print-mode/src/text-output.ts',
    'packages/plugins/models/models/src/generated/catalogue.json',
    'packages/plugins/models/providers/src/direct/speaker.ts',
    ...['anthropic-messages', 'openai-completions', 'openai-responses'].map(
      (name) => `packages/plugins/models/providers/src/dialects/${name}.ts`,
    ),
    ...[
      'safety/approval',
      'safety/sandbox',
      'safety/undo',
      'senses/code-map',
      'senses/memory',
      'senses/vision',
      'workers/irc',
    ].map(plugin),
    'packages/plugins/ecosystem/external-hooks/src/engine.ts',
    ...['conversation', 'sessions', 'tools'].map(
      (name) => `packages/plugins/ecosystem/external-hooks/src/moments/${name}.ts`,
    ),
    'packages/plugins/ecosystem/opencode-compat/src/host/manager.ts',
    'packages/plugins/ecosystem/pi-compat/src/host/manager.ts',
  ],
];

/** Node keeps a text outside of V8's heap from 1,031,913 bytes on: there it is not copied, and brings no collection nearer. */
const LEAST_BYTES = 1_040_000;
const WORTH_FILLING = LEAST_BYTES / 2;

/**
 * @param {string} root @param {import('./modules.mjs').Modules} modules
 * @returns {Promise<{ name: string, contents: Uint8Array | string }[]>} what to write, the changed entry last
 */
export async function quickProgram(root, { outputs, texts, reachable }) {
  const inRegions = regionsOf(root, outputs);
  const names = [...new Set([...inRegions.flat(), ...reachable(['main.js'])])].filter((name) => name !== 'main.js');
  const [{ transform }, lexer] = await Promise.all([import('esbuild'), import('es-module-lexer')]);
  await lexer.init;
  const codes = new Map();
  await Promise.all(
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
      codes.set(name, `function(${NAMES}){${withLateImports(code)}\n}`);
    }),
  );
  const { program, regions, modules } = laidOut(names, codes, inRegions);
  const id = createHash('sha256').update(program).digest('hex').slice(0, 16);
  return [
    { name: 'program.txt', contents: program },
    { name: 'program.json', contents: JSON.stringify({ id, regions, modules }) },
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

/**
 * The text of the program, and where its pieces are. A module of a region has two more numbers: which region, and its place in the list that the
 * region's script gives. One with letters beyond ASCII stays alone: a script with one such letter takes twice the memory.
 * @param {readonly string[]} names @param {ReadonlyMap<string, string>} codes @param {readonly (readonly string[])[]} inRegions
 */
function laidOut(names, codes, inRegions) {
  const texts = [];
  const modules = {};
  let at = 0;
  const put = (text) => {
    const bytes = Buffer.from(text);
    texts.push(bytes);
    at += bytes.length;
    return [at - bytes.length, bytes.length, bytes.length === text.length ? 'latin1' : 'utf8'];
  };
  const regions = inRegions.map((members, region) => {
    const [from] = put('[');
    const plain = members.filter((name) => /^[\0-\x7f]*$/.test(codes.get(name)));
    for (const [place, name] of plain.entries()) {
      if (place > 0) put(',');
      modules[name] = [...put(codes.get(name)), region, place];
    }
    put(']');
    if (at - from >= WORTH_FILLING) put(' '.repeat(Math.max(0, LEAST_BYTES - (at - from))));
    return [from, at - from];
  });
  for (const name of names) modules[name] ??= put(`(${codes.get(name)})`);
  return { program: Buffer.concat(texts), regions, modules };
}

/** The modules of each region, none of them twice. @param {string} root @param {import('./modules.mjs').Modules['outputs']} outputs */
function regionsOf(root, outputs) {
  const entries = new Map([...outputs].map(([name, { entryPoint }]) => [entryPoint, name]));
  const taken = new Set();
  return REGIONS.map((sources) => {
    const names = new Set();
    // The small checkouts of the launcher's tests have only some of them.
    for (const source of sources.filter((path) => existsSync(join(root, path)))) {
      const name = entries.get(source);
      if (name === undefined)
        throw new Error(`${source} is no module of its own: mend REGIONS in scripts/program/quick-program.mjs`);
      names.add(name);
    }
    for (const name of names) {
      for (const { path, kind, external } of outputs.get(name)?.imports ?? [])
        if (!external && kind === 'import-statement') names.add(path);
    }
    const own = [...names].filter((name) => !taken.has(name));
    for (const name of own) taken.add(name);
    return own;
  });
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
