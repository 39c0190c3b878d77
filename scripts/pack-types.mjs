// Writes the declarations that packs outside of this repository are checked against: those of every module that packs may
// import, with all that they refer to, in one package without dependencies on Tenon's others. Run by `npm pack packages/pack-types`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'packages', 'pack-types', 'dist');

/** Modules that packs import -> the declarations of their package. The first ones are shared by pack-host (src/pack-modules.ts). */
const MODULES = {
  '@tenon/kernel': 'packages/kernel/dist/index.d.ts',
  '@tenon/host': 'packages/host/dist/index.d.ts',
  '@tenon/tools/api': 'packages/plugins/foundation/tools/dist/api.d.ts',
  '@tenon/command-line/api': 'packages/plugins/foundation/command-line/dist/api.d.ts',
  '@tenon/agent/api': 'packages/plugins/agent/agent/dist/api.d.ts',
  '@tenon/screen-slots/api': 'packages/plugins/agent/screen-slots/dist/api.d.ts',
  '@tenon/urls/api': 'packages/plugins/agent/urls/dist/api.d.ts',
  '@tenon/discovery/api': 'packages/plugins/ecosystem/discovery/dist/api.d.ts',
  '@tenon/slash-commands/api': 'packages/plugins/ecosystem/slash-commands/dist/api.d.ts',
  '@tenon/file-tools/api': 'packages/plugins/tools/file-tools/dist/api.d.ts',
  '@tenon/planning-tools/api': 'packages/plugins/tools/planning-tools/dist/api.d.ts',
  '@tenon/web-tools/api': 'packages/plugins/tools/web-tools/dist/api.d.ts',
  '@tenon/small-tools/api': 'packages/plugins/tools/small-tools/dist/api.d.ts',
  '@tenon/kernel/testing': 'packages/kernel/dist/testing.d.ts',
  '@tenon/pack-host/testing': 'packages/plugins/ecosystem/pack-host/dist/testing.d.ts',
};

/** Modules of which packs get only some values; the types are all there. */
const PARTS = {
  '@tenon/discovery/api': ['contextFiles', 'externalHooks', 'mcpServers'],
  '@tenon/file-tools/api': ['editModes'],
};

/** Where the packages are whose declarations are copied, by name; those of the list above refer to others. */
function packageFolders() {
  const listed = execFileSync('npm', ['query', '.workspace', '--json'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new Map(JSON.parse(listed).map(({ name, location }) => [name, location]));
}

const SPECIFIER = /(\bfrom\s*|\bimport\s*\(\s*|^import\s+)(['"])([^'"]+)\2/gm;

/** Copies a declaration file and those that it refers to; gives its place in the package, without the ending. */
function copy(file, folders, done) {
  const place = file
    .replace(/^packages\/(?:plugins\/[^/]+\/)?/, '')
    .replace('/dist/', '/')
    .replace(/\.d\.ts$/, '');
  if (done.has(file)) return place;
  done.set(file, place);
  const text = readFileSync(join(root, file), 'utf8').replace(/^\/\/# sourceMappingURL.*$/m, '');
  const moved = text.replace(SPECIFIER, (whole, before, quote, specifier) => {
    const target = targetOf(specifier, file, folders);
    if (target === undefined) return whole;
    const relative = posix.relative(posix.dirname(place), copy(target, folders, done));
    return `${before}${quote}${relative.startsWith('.') ? relative : `./${relative}`}.js${quote}`;
  });
  const written = join(out, `${place}.d.ts`);
  mkdirSync(dirname(written), { recursive: true });
  writeFileSync(written, moved);
  return place;
}

/** The declaration file that a specifier stands for; nothing for packages of npm and modules of Node. */
function targetOf(specifier, file, folders) {
  if (specifier.startsWith('.'))
    return posix.join(posix.dirname(file), specifier.replace(/\.(?:ts|js)$/, '')) + '.d.ts';
  if (!specifier.startsWith('@tenon/')) return undefined;
  const [, name, rest] = /^(@tenon\/[^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  const folder = folders.get(name);
  if (folder === undefined) throw new Error(`${file} refers to ${specifier}, which is no package of this repository`);
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const types = exports[rest === undefined ? '.' : `./${rest}`]?.types;
  if (types === undefined) throw new Error(`${file} refers to ${specifier}, which has no declarations`);
  return posix.join(folder, types);
}

const projects = Object.values(MODULES).map((file) => join(root, file.slice(0, file.indexOf('/dist/'))));
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', ...new Set(projects)], {
  cwd: root,
  // The output of this program is that of npm: `npm pack --json` must stay JSON.
  stdio: ['ignore', 2, 2],
});
rmSync(out, { recursive: true, force: true });
const folders = packageFolders();
const done = new Map();
const declarations = Object.entries(MODULES).map(([name, file]) => {
  const from = `from '@tenon/pack-types/${copy(file, folders, done)}';`;
  const values = PARTS[name];
  const lines = values ? [`export type * ${from}`, `export { ${values.join(', ')} } ${from}`] : [`export * ${from}`];
  return `declare module '${name}' {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
});
writeFileSync(
  join(out, 'index.d.ts'),
  `// Types of all that packs for Tenon may import. Add "@tenon/pack-types" to "types" in tsconfig.json.\n${declarations.join('')}`,
);
