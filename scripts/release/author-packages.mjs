/** What programs and packs of others are written against: the SDK, the kernel, the types of packs, and the fakes of models. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { readJson } from '../workspace.mjs';
import { allFiles, put, putJson } from './files.mjs';
import { commonFields } from './identity.mjs';
import { thirdPartyPage } from './third-party.mjs';

/** Fields that make sense only inside of the repository. */
const OWN = ['private', 'scripts', 'devDependencies'];

/**
 * @param {string} root @param {string} folder
 * @param {readonly import('./third-party.mjs').Part[]} parts what is built into the program, which the SDK shares
 */
export function makeSdkPackage(root, folder, parts) {
  const source = join(root, 'packages/sdk/dist');
  if (!existsSync(join(source, 'index.js'))) throw new Error('the SDK is not built; run `npm run setup`');
  const { files } = readJson(join(source, 'modules.json'));
  // Chunks of the build before are kept there for programs that run; they are no part of this one.
  for (const file of files) {
    const name = file === 'main.js' ? 'program.js' : file;
    cpSync(join(source, name), join(folder, name));
  }
  for (const name of ['docs', 'examples', 'types', 'README.md', 'LICENSE'])
    cpSync(join(source, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/\.(?:svg|png|gif)$/.test(path),
    });
  const manifest = readJson(join(source, 'package.json'));
  const grammars = '@tenon/grammars';
  putJson(join(folder, 'package.json'), {
    ...manifest,
    ...commonFields(root, 'packages/sdk'),
    files: [...manifest.files, 'THIRD-PARTY.md'],
    peerDependencies: { ...manifest.peerDependencies, [grammars]: manifest.version },
    peerDependenciesMeta: { ...manifest.peerDependenciesMeta, [grammars]: { optional: true } },
  });
  put(join(folder, 'THIRD-PARTY.md'), thirdPartyPage('@tenon/sdk', parts));
}

/** Runs before the two that need it: declarations of all that packs may import. @param {string} root */
export function buildPackTypes(root) {
  execFileSync(process.execPath, [join(root, 'scripts/pack-types.mjs')], { cwd: root, stdio: ['ignore', 2, 2] });
}

/** @param {string} root @param {string} folder */
export function makePackTypes(root, folder) {
  copyPackage(root, 'packages/pack-types', folder);
}

/** @param {string} root @param {string} folder */
export function makeModelFakes(root, folder) {
  copyPackage(root, 'packages/model-fakes', folder);
}

/** A package that is published as the compiler left it. */
function copyPackage(root, directory, folder) {
  const source = join(root, directory);
  const manifest = readJson(join(source, 'package.json'));
  const plain = (path) => !/\.(?:map|tsbuildinfo)$/.test(path);
  cpSync(join(source, 'dist'), join(folder, 'dist'), { recursive: true, filter: plain });
  for (const [path, text] of withoutMapComments(folder)) put(path, text);
  cpSync(join(source, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  putJson(join(folder, 'package.json'), { ...published(manifest), ...commonFields(root, directory) });
}

/** The kernel with the small packages below it inside, so that it can be installed alone. @param {string} root @param {string} folder */
export async function makeKernelPackage(root, folder) {
  const { build } = await import('esbuild');
  const manifest = readJson(join(root, 'packages/kernel/package.json'));
  const schema = readJson(join(root, 'packages/schema/package.json'));
  const outside = Object.entries({ ...schema.dependencies, ...manifest.dependencies }).filter(
    ([name]) => !name.startsWith('@tenon/'),
  );
  await build({
    absWorkingDir: root,
    entryPoints: [
      { in: 'packages/kernel/src/index.ts', out: 'index' },
      { in: 'packages/kernel/src/testing.ts', out: 'testing' },
    ],
    outdir: join(folder, 'dist'),
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['tenon-source'],
    external: outside.map(([name]) => name),
    logLevel: 'silent',
  });
  for (const [path, text] of declarations(root)) put(join(folder, 'types', path), text);
  const entry = (name) => ({ types: `./types/kernel/${name}.d.ts`, default: `./dist/${name}.js` });
  putJson(join(folder, 'package.json'), {
    ...published(manifest),
    ...commonFields(root, 'packages/kernel'),
    exports: { '.': entry('index'), './testing': entry('testing'), './package.json': './package.json' },
    files: ['dist', 'types', 'README.md'],
    dependencies: Object.fromEntries(outside),
  });
  cpSync(join(root, 'packages/kernel/README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Those of the kernel and what they refer to, from the types of packs. @returns {Map<string, string>} */
function declarations(root) {
  const from = join(root, 'packages/pack-types/dist');
  const texts = new Map();
  const visit = (path) => {
    if (texts.has(path)) return;
    const text = readFileSync(join(from, path), 'utf8');
    texts.set(path, text);
    for (const [, specifier] of text.matchAll(/(?:from\s*|import\(\s*)['"](\.[^'"]+)['"]/g))
      visit(posix.join(posix.dirname(path), specifier.replace(/\.js$/, '.d.ts')));
  };
  visit('kernel/index.d.ts');
  visit('kernel/testing.d.ts');
  return texts;
}

function published(manifest) {
  const kept = Object.fromEntries(Object.entries(manifest).filter(([field]) => !OWN.includes(field)));
  const outer = Object.entries(kept.exports ?? {}).map(([path, target]) => [path, withoutSource(target)]);
  return { ...kept, ...(kept.exports && { exports: Object.fromEntries(outer) }) };
}

/** The condition that leads to the sources, which are not published. */
function withoutSource(target) {
  if (typeof target === 'string') return target;
  return Object.fromEntries(Object.entries(target).filter(([condition]) => condition !== 'tenon-source'));
}

function withoutMapComments(folder) {
  return allTexts(folder).map(([path, text]) => [path, text.replaceAll(/^\/\/# sourceMappingURL=.*$/gm, '')]);
}

function allTexts(folder) {
  return allFiles(folder)
    .filter((file) => /\.(?:d\.ts|js)$/.test(file))
    .map((file) => [join(folder, file), readFileSync(join(folder, file), 'utf8')]);
}
