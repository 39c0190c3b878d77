/**
 * Makes the file that packages/cli/loader/quick-load.mjs loads: every module that the command line can reach, as CommonJS, one behind
 * the other. The ES modules stay beside it for the processes that Tenon starts (pack hosts, workers).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const LOADER = 'packages/cli/loader/quick-load.mjs';
const NAMES = 'exports,require,module,__import,__url';

/**
 * @param {{ root: string, output: string, metafile: import('esbuild').Metafile, files: import('esbuild').OutputFile[], banner: string }} built
 * @returns {Promise<{ path: string, contents: Uint8Array | string }[]>} what to write, the changed entry last
 */
export async function quickProgram({ root, output, metafile, files, banner }) {
  const nameOf = (path) => relative(output, resolve(root, path)).replaceAll('\\', '/');
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, value]) => [nameOf(path), value]));
  const texts = new Map(files.map((file) => [nameOf(file.path), file.text]));
  const names = reachable('main.js', outputs, nameOf).filter((name) => name !== 'main.js');
  const [{ transform }, lexer] = await Promise.all([import('esbuild'), import('es-module-lexer')]);
  await lexer.init;
  const parts = [];
  const modules = {};
  let at = 0;
  for (const name of names) {
    const source = withOwnImports((texts.get(name) ?? '').replace(banner, ''), lexer.parse);
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
    const text = Buffer.from(`(function(${NAMES}){${code}\n})`);
    // Plain ASCII, which nearly all are, becomes a string without being decoded.
    modules[name] = [at, text.length, text.every((byte) => byte < 0x80) ? 'latin1' : 'utf8'];
    at += text.length;
    parts.push(text);
  }
  const program = Buffer.concat(parts);
  const id = createHash('sha256').update(program).digest('hex').slice(0, 16);
  const main = (texts.get('main.js') ?? '').replaceAll(
    /\bimport\("\.\/(chunks\/[^"]+)"\)/g,
    (_, name) => `import("./quick-load.js").then(q=>q.load("${name}"))`,
  );
  return [
    { path: join(output, 'program.txt'), contents: program },
    { path: join(output, 'program.json'), contents: JSON.stringify({ id, modules }) },
    { path: join(output, 'quick-load.js'), contents: readFileSync(join(root, LOADER)) },
    { path: join(output, 'main.js'), contents: main },
  ];
}

/** Code that V8 took from a cache cannot import(): the loader does it instead. Found by a lexer, because texts speak of imports too. */
function withOwnImports(code, parse) {
  const [imports] = parse(code);
  return imports
    .filter(({ d }) => d >= 0)
    .toReversed()
    .reduce((text, { ss }) => `${text.slice(0, ss)}__import${text.slice(ss + 'import'.length)}`, code);
}

/** Everything that an entry can load, by import statement or import(). */
function reachable(entry, outputs, nameOf) {
  const found = new Set([entry]);
  for (const name of found) {
    for (const { path, external } of outputs.get(name)?.imports ?? []) if (!external) found.add(nameOf(path));
  }
  return [...found];
}
