/**
 * Makes the file that packages/cli/loader/quick-load.cjs loads: every module that the command line can reach, as CommonJS, one behind
 * the other, those that are loaded together file by file. The ES modules stay beside it for the processes that Tenon starts (pack hosts, workers).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runInThisContext } from 'node:vm';

import { buildModules, reachable, REQUIRE } from './modules.mjs';

/** What loads the file, from the root. */
export const QUICK_LOADER = 'packages/cli/loader/quick-load.cjs';
const NAMES = 'exports,require,module,__import,__url,__export,__text';

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
 * @param {string} root @param {import('./modules.mjs').Modules} built what was built for all programs
 * @param {Parameters<typeof buildModules>[2]} [options] of that build
 * @returns {Promise<{ name: string, contents: Uint8Array | string }[]>} what to write, the changed entry last
 */
export async function quickProgram(root, built, options = {}) {
  const { outputs, texts } = named(await buildModules(root, withOwnFiles(root, built.outputs), options), built);
  const inRegions = regionsOf(root, outputs);
  const names = [...new Set([...inRegions.flat(), ...reachable(outputs, ['main.js'])])].filter(
    (name) => name !== 'main.js',
  );
  const [{ transform }, lexer] = await Promise.all([import('esbuild'), import('es-module-lexer')]);
  await lexer.init;
  const codes = new Map();
  const shared = await sharedExports(transform);
  await Promise.all(
    names.map(async (name) => {
      const source = withOwnImports((texts.get(name) ?? '').replace(REQUIRE, ''), lexer.parse);
      const { code } = await transform(source, { ...COMMON_JS, sourcefile: `${name.replace(/\.js$/, '')}.mjs` });
      codes.set(name, `function(${NAMES}){${withLateImports(shared(code))}\n}`);
    }),
  );
  const { program, regions, modules, others } = laidOut(names, codes, inRegions);
  const id = createHash('sha256').update(program).digest('hex').slice(0, 16);
  return [
    { name: 'program.txt', contents: program },
    { name: 'program.json', contents: JSON.stringify({ id, regions, modules, others }) },
    { name: 'quick-load.cjs', contents: readFileSync(join(root, QUICK_LOADER)) },
    { name: 'main.cjs', contents: await commonMain(texts.get('main.js') ?? '', transform) },
    { name: 'main.js', contents: MAIN },
  ];
}

/** @type {import('esbuild').TransformOptions} */
const COMMON_JS = {
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  define: { 'import.meta.url': '__url' },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
};

/**
 * The entries of the program, and every file of ours that a region has as one more: a module of its own. What is put together by files is loaded
 * whole, and of a chunk of three hundred files a prompt uses a third; the rest would be read from the cache, and its functions made, for nothing.
 * @param {string} root @param {import('./modules.mjs').Modules['outputs']} outputs
 */
function withOwnFiles(root, outputs) {
  const files = regionsOf(root, outputs)
    .flat()
    .flatMap((name) => Object.keys(outputs.get(name)?.inputs ?? {}))
    .filter((path) => OWN_CODE.test(path));
  const own = [...new Set(files)].map((path) => [
    `chunks/${path.replaceAll(/\.ts$|[^\w-]+/g, (sign) => (sign === '.ts' ? '' : '-'))}`,
    path,
  ]);
  return { ...Object.fromEntries(own), main: 'packages/cli/src/main.ts' };
}

/**
 * The same modules, those that can be imported by the names that they have as ES modules: one that runs in a thread is found by its own URL.
 * @param {import('./modules.mjs').Modules} modules @param {import('./modules.mjs').Modules} built @returns {Pick<import('./modules.mjs').Modules, 'outputs' | 'texts'>}
 */
function named({ outputs, texts }, built) {
  const known = new Map(
    [...built.outputs].flatMap(([name, { entryPoint }]) => (entryPoint ? [[entryPoint, name]] : [])),
  );
  const names = new Map([...outputs].map(([name, { entryPoint = '' }]) => [name, known.get(entryPoint) ?? name]));
  const nameOf = (name) => names.get(name) ?? name;
  const byFile = new Map([...names].map(([from, to]) => [basename(from), basename(to)]));
  const inText = (text) => text.replaceAll(/(?<=["/])[\w.-]+\.js(?=")/g, (file) => byFile.get(file) ?? file);
  return {
    outputs: new Map(
      [...outputs].map(([name, output]) => [
        nameOf(name),
        { ...output, imports: output.imports.map((entry) => ({ ...entry, path: nameOf(entry.path) })) },
      ]),
    ),
    texts: new Map([...texts].map(([name, text]) => [nameOf(name), inText(text)])),
  };
}

const OWN_CODE = /^(?:packages|native)\/.*\/src\/.*\.ts$/;

/**
 * Replaces what esbuild puts at the head of every module, five functions and two layers of getters, by one function of the loader.
 * @param {typeof import('esbuild').transform} transform @returns {Promise<(code: string) => string>}
 */
export async function sharedExports(transform) {
  const { code: sample } = await transform('export var a=1;', { ...COMMON_JS, sourcefile: 'x.mjs' });
  const helpers = sample.slice(0, sample.indexOf('var x_exports='));
  if (!/\b__toCommonJS=/.test(helpers)) throw new Error('esbuild writes modules in another way: mend sharedExports');
  return (code) => {
    const [whole, , exports] = HEAD.exec(code.startsWith(helpers) ? code.slice(helpers.length) : '') ?? [];
    if (whole === undefined) return code;
    const rest = code.slice(helpers.length + whole.length);
    return HELPER.test(rest) ? code : `__export(exports,${exports});${rest}`;
  };
}

const HEAD = /^var (\w+)=\{\};__export\(\1,(\{[^{}]*\})\);module\.exports=__toCommonJS\(\1\);/;
const HELPER = /\b(?:__(?:defProp|getOwnPropDesc|getOwnPropNames|hasOwnProp|copyProps|toCommonJS)|\w+_exports)\b/;

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
 * region's script gives. One with letters beyond ASCII stays alone, and is named behind the place of the region: a script with one such letter takes twice the memory.
 * @param {readonly string[]} names @param {Map<string, string>} codes @param {readonly (readonly string[])[]} inRegions
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
  for (const [name, code] of codes)
    codes.set(
      name,
      withTextsOutside(code, (text) => put(text)),
    );
  const regions = inRegions.map((members, region) => {
    const [from] = put('[');
    const plain = members.filter((name) => /^[\0-\x7f]*$/.test(codes.get(name)));
    for (const [place, name] of plain.entries()) {
      if (place > 0) put(',');
      modules[name] = [...put(codes.get(name)), region, place];
    }
    put(']');
    if (at - from >= WORTH_FILLING) put(' '.repeat(Math.max(0, LEAST_BYTES - (at - from))));
    return [from, at - from, members.filter((name) => !plain.includes(name))];
  });
  const others = {};
  for (const name of names) if (!modules[name]) others[name] = put(`(${codes.get(name)})`);
  const [from, length] = put(JSON.stringify(others));
  return { program: Buffer.concat(texts), regions, modules, others: [from, length] };
}

/** From this length on, data is read from the file: as a text in code it would be a part of the script and of what V8 keeps of that. */
const LONG_TEXT = 4_000;
const PARSED = /\bJSON\.parse\((?<literal>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)\)/g;

/** @param {string} code @param {(text: string) => readonly unknown[]} put writes a text, and says where it is */
function withTextsOutside(code, put) {
  return code.replaceAll(PARSED, (whole, literal) => {
    if (literal.length < LONG_TEXT) return whole;
    // Escaped, because the loader reads it as it is written. Outside of texts JSON has no other letters.
    const text = String(runInThisContext(literal)).replaceAll(
      /[\u007f-\uffff]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const [from, length] = put(text);
    return `JSON.parse(__text(${from},${length}))`;
  });
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
    const own = [...names].filter((name) => !taken.has(name) && !isRare(outputs.get(name)));
    for (const name of own) taken.add(name);
    return own;
  });
}

/** A large package that is needed for some files only. @param {import('./modules.mjs').Output | undefined} output */
function isRare(output) {
  const inputs = Object.keys(output?.inputs ?? {});
  return inputs.length > 0 && inputs.every((path) => RARE.test(path));
}

const RARE = /^node_modules\/yaml\//;

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
  const values = new Map(found.map(([, name, value]) => [name, value]));
  const isPlain = (name) => values.get(name)?.startsWith('require(') === true;
  const used = (text) =>
    text.replaceAll(uses, (_, name) => {
      const variable = `${LATE}${short.get(name)}`;
      return isPlain(name) ? `(${variable}??=${values.get(name)}).` : `(${variable}??${LOAD}${short.get(name)}()).`;
    });
  const rest = code.replaceAll(IMPORT, (whole, name) => (short.has(name) ? `${LATE}${short.get(name)}` : whole));
  const functions = found
    .filter(([, name]) => !isPlain(name))
    .map(([, name, value]) => `function ${LOAD}${short.get(name)}(){return ${LATE}${short.get(name)}=${used(value)}}`);
  return functions.join('') + used(rest);
}

/** True when every mention of the name but the first is a use of one of its members. */
function isLate(name, code) {
  const mentions = code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
  const uses = code.match(new RegExp(`\\b${name}\\.`, 'g'))?.length ?? 0;
  return mentions === uses + 1;
}
