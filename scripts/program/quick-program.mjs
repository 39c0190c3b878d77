/**
 * Makes the file that packages/cli/loader/quick-load.cjs loads: every module that the command line can reach, as CommonJS, one behind
 * the other, those that are loaded together file by file. The ES modules stay beside it for the processes that Tenon starts (pack hosts, workers).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runInThisContext } from 'node:vm';

import { buildModules, reachable, REQUIRE } from './modules.mjs';
import { reachableRegions, regionsOf, sourceOf } from './regions.mjs';

/** What loads the file, from the root. */
export const QUICK_LOADER = 'packages/cli/loader/quick-load.cjs';
/** Says to people and to record-prompt.mjs what a function of a script, or a script, was made of. Nothing that runs reads it. */
export const PROGRAM_SOURCES = 'program-sources.json';
/**
 * Large, without a state, imported late, and there as ES modules for threads and hosts: the program imports those, too, and has them not
 * once more.
 */
const ES_MODULES = ['native/src/images/js-library.ts', 'packages/plugins/tools/web-tools/src/page/html-to-markdown.ts'];
const NAMES = 'exports,require,module,__import,__url,__export,__text';

/**
 * @param {string} root @param {import('./modules.mjs').Modules} built what was built for all programs
 * @param {Parameters<typeof buildModules>[2]} [options] of that build
 * @returns {Promise<{ name: string, contents: Uint8Array | string }[]>} what to write, the changed entry last
 */
export async function quickProgram(root, built, options = {}) {
  const { outputs: all, texts } = named(await buildModules(root, withOwnFiles(root, built.outputs), options), built);
  const outputs = withoutEsModules(all);
  const inRegions = regionsOf(root, outputs);
  const names = [
    ...new Set([...inRegions.flatMap(({ members }) => members), ...reachable(outputs, ['main.js'])]),
  ].filter((name) => name !== 'main.js');
  const [{ transform }, lexer] = await Promise.all([import('esbuild'), import('es-module-lexer')]);
  await lexer.init;
  const codes = new Map();
  const shared = await sharedExports(transform);
  await Promise.all(
    names.map(async (name) => {
      const source = withOwnImports((texts.get(name) ?? '').replace(REQUIRE, ''), lexer.parse);
      const { code } = await transform(source, { ...COMMON_JS, sourcefile: `${name.replace(/\.js$/, '')}.mjs` });
      const own = withLateImports(shared(code, isFixed(root, outputs.get(name))));
      codes.set(name, `function(${NAMES}){${own}\n}`);
    }),
  );
  const { program, regions, others, scripts } = laidOut(names, codes, inRegions);
  const sources = Object.fromEntries(names.map((name) => [scripts.get(name) ?? name, sourceOf(outputs.get(name))]));
  const id = createHash('sha256').update(program).digest('hex').slice(0, 16);
  const loader = await transform(readFileSync(join(root, QUICK_LOADER), 'utf8'), SHORT);
  return [
    { name: 'program.txt', contents: program },
    { name: 'program.json', contents: JSON.stringify({ id, regions, others }) },
    { name: PROGRAM_SOURCES, contents: JSON.stringify(sources) },
    { name: 'quick-load.cjs', contents: loader.code },
    { name: 'main.cjs', contents: await commonMain(texts.get('main.js') ?? '', transform) },
    { name: 'main.js', contents: MAIN },
  ];
}

/** The loader is compiled in every start: without its comments that takes less. @type {import('esbuild').TransformOptions} */
const SHORT = { target: 'node20.19', minifySyntax: true, minifyWhitespace: true, legalComments: 'none' };

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
  const files = reachableRegions(root, outputs)
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

/** @param {import('./modules.mjs').Modules['outputs']} outputs */
function withoutEsModules(outputs) {
  const isKept = (name) => !ES_MODULES.includes(outputs.get(name)?.entryPoint ?? '');
  return new Map(
    [...outputs].map(([name, output]) => [
      name,
      { ...output, imports: output.imports.filter(({ path, kind }) => kind !== 'dynamic-import' || isKept(path)) },
    ]),
  );
}

/** Whether what a module exports never changes: code of ours, without variables that are exported. */
function isFixed(root, { inputs } = { inputs: {} }) {
  const sources = Object.keys(inputs);
  return (
    sources.length > 0 &&
    sources.every(
      (path) => FIXED.test(path) && !(path.endsWith('.ts') && exportsVariables(readFileSync(join(root, path), 'utf8'))),
    )
  );
}

const FIXED = /^(?:packages|native)\/(?!.*\bnode_modules\/).*\.(?:ts|json|md|text|py)$/;

/** @param {string} source */
export function exportsVariables(source) {
  const exported = [...source.matchAll(/^export (?:\{([^}]*)\}|default (\w+);)/gm)].flatMap(
    ([, list = '', name = '']) => `${list},${name}`.match(/\w+/g) ?? [],
  );
  return (
    /^export (?:let|var)\b/m.test(source) ||
    [...source.matchAll(/^(?:let|var) (\w+)/gm)].some(([, name = '']) => exported.includes(name))
  );
}

const OWN_CODE = /^(?:packages|native)\/.*\/src\/.*\.ts$/;

/**
 * Replaces what esbuild puts at the head of every module, five functions and two layers of getters: by an object with the values where they never
 * change, for which a start makes no functions and a call runs none, or else by one function of the loader.
 * @param {typeof import('esbuild').transform} transform @returns {Promise<(code: string, isFixed?: boolean) => string>}
 */
export async function sharedExports(transform) {
  const { code: sample } = await transform('export var a=1;', { ...COMMON_JS, sourcefile: 'x.mjs' });
  const helpers = sample.slice(0, sample.indexOf('var x_exports='));
  if (!/\b__toCommonJS=/.test(helpers)) throw new Error('esbuild writes modules in another way: mend sharedExports');
  return (code, isFixed = false) => {
    const [whole, , exports = ''] = HEAD.exec(code.startsWith(helpers) ? code.slice(helpers.length) : '') ?? [];
    if (whole === undefined) return code;
    const rest = code.slice(helpers.length + whole.length);
    if (HELPER.test(rest)) return code;
    return isFixed ? withValues(exports, rest) : `__export(exports,${exports});${rest}`;
  };
}

/**
 * Functions are there from the beginning, for modules that import each other; everything has its value at the end. What comes from another module stays
 * a getter: that one is loaded when somebody asks. @param {string} exports the getters @param {string} rest the module's own code
 */
function withValues(exports, rest) {
  const all = [...exports.matchAll(GETTER)];
  if (all.map(([getter]) => getter).join(',') !== exports.slice(1, -1))
    throw new Error(`getters of another kind: ${exports}`);
  const own = all.filter(([, , value]) => NAME.test(value));
  const late = all.filter(([, , value]) => !NAME.test(value)).map(([getter]) => getter);
  const isFunction = (name) => new RegExp(`\\bfunction\\*? ?${name.replaceAll('$', '\\$')}\\(`).test(rest);
  const first = own.map(([, name, value]) => `${name}:${isFunction(value) ? value : 'void 0'}`);
  const last = own.map(([, name, value]) => `module.exports[${name.startsWith('"') ? name : `"${name}"`}]=${value};`);
  const object = `module.exports={${first}}`;
  return `${late.length > 0 ? `__export(${object},{${late}})` : object};${rest};${last.join('')}`;
}

const HEAD = /^var (\w+)=\{\};__export\(\1,(\{[^{}]*\})\);module\.exports=__toCommonJS\(\1\);/;
const GETTER = /([\w$]+|"[^"]*"):\(\)=>([^,]+?)(?=,(?:[\w$]+|"[^"]*"):\(\)=>|\}$)/g;
const NAME = /^[\w$]+$/;
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
 * The text of the program, and where its pieces are. The members of a region are named with it, if a start may need it, and else among the others, by
 * region and place in the list that the region's script gives. One with letters beyond ASCII stays alone, and is named behind the place of the region: a
 * script with one such letter takes twice the memory.
 * @param {readonly string[]} names @param {Map<string, string>} codes @param {readonly { name: string, members: readonly string[], isRare?: boolean }[]} inRegions
 */
function laidOut(names, codes, inRegions) {
  const texts = [];
  const [others, scripts] = [{}, new Map()];
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
  const regions = inRegions.map(({ name: title, members, isRare }, region) => {
    const [from] = put('[');
    const plain = members.filter((name) => /^[\0-\x7f]*$/.test(codes.get(name)));
    for (const [place, name] of plain.entries()) {
      if (place > 0) put(',');
      const [start] = put(codes.get(name));
      scripts.set(name, `program-${region}.js:${start - from}`);
      if (isRare) others[name] = [region, place];
    }
    put(']');
    const apart = members.filter((name) => !plain.includes(name));
    return [from, at - from, apart, title, isRare ? [] : plain];
  });
  for (const name of names) if (!scripts.has(name)) others[name] = put(`(${codes.get(name)})`);
  const [from, length] = put(JSON.stringify(others));
  return { program: Buffer.concat(texts), regions, others: [from, length], scripts };
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
