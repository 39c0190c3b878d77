/** What must hold for a package before it is published, seen in the folder that npm would pack. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, extname, join } from 'node:path';

import { readJson } from '../workspace.mjs';
import { allFiles } from './files.mjs';

const BINARY = new Set(['.node', '.wasm']);
/** Wherever they come from, they are no part of a release. */
const UNWANTED =
  /(?:^|\/)(?:tests?|__tests__|fixtures|coverage|\.setup|\.tenon|\.env[^/]*|\.npmrc|\.DS_Store)(?:\/|$)|\.(?:test|spec)\.[cm]?[jt]sx?$|\.tsbuildinfo$/;
const UNBOUND = /^(?:workspace:|file:|link:|git|https?:|\*$|latest$|$)/;

/**
 * @param {string} folder @param {{ root: string }} options @returns {string[]} problems, in words
 */
export function packageProblems(folder, { root }) {
  const manifest = readJson(join(folder, 'package.json'));
  const files = allFiles(folder);
  const own = files.filter((file) => !file.startsWith('node_modules/'));
  return [
    ...manifestProblems(manifest),
    ...['README.md', 'LICENSE'].filter((file) => !existsSync(join(folder, file))).map((file) => `${file} is missing`),
    ...own.filter((file) => UNWANTED.test(file)).map((file) => `${file} does not belong into a package`),
    ...files.filter((file) => file.endsWith('.map')).map((file) => `${file}: maps name sources that are not there`),
    ...files.flatMap((file) => textProblems(join(folder, file), file, root)),
  ].map((problem) => `${manifest.name}: ${problem}`);
}

function manifestProblems(manifest) {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    devDependencies,
    scripts,
    exports,
  } = manifest;
  const ranges = Object.entries({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const unbound = ranges
    .filter(([, range]) => UNBOUND.test(range))
    .map(([name, range]) => `${name} is bound to no version ("${range}")`);
  const bundled = new Set(manifest.bundleDependencies ?? []);
  const ours = ranges
    .map(([name]) => name)
    .filter((name) => name.startsWith('@tenon/') && !/^@tenon\/(?:grammars|native-[a-z0-9-]+)$/.test(name))
    .map((name) => `${name} is a package of the workspace that is not published`);
  return [
    ...unbound,
    ...ours,
    ...[...bundled].filter((name) => !dependencies[name]).map((name) => `${name} is bundled and no dependency`),
    ...(manifest.private ? ['it is private'] : []),
    ...(devDependencies ? ['it lists devDependencies'] : []),
    ...(scripts ? ['it has scripts, which npm would run'] : []),
    ...(JSON.stringify(exports ?? {}).includes('tenon-source') ? ['an export leads to sources'] : []),
    ...((manifest.repository?.url ?? '').startsWith('git+https://') ? [] : ['no repository: provenance needs one']),
    ...(manifest.publishConfig?.provenance === true ? [] : ['publishConfig.provenance is not true']),
    ...(manifest.license ? [] : ['no licence']),
  ];
}

/** Paths of the machine that made it. Rust keeps the paths of crates in messages of panics, so of an addon only the repository counts. */
function textProblems(path, file, root) {
  const text = readFileSync(path, 'latin1');
  const isBinary = BINARY.has(extname(file));
  // `/root/.ssh` is a place that Tenon protects, whoever builds it.
  const places = [
    root,
    ...(isBinary ? [] : ['.cache', '.npm', '.cargo', '.config'].map((name) => join(homedir(), name))),
  ];
  const found = places.filter((place) => text.includes(place)).map((place) => `${file} contains the path ${place}`);
  // Programs speak of such comments; one at the end of a file is meant.
  const comment = /\n\/\/# sourceMappingURL=(?!data:)(\S+)\s*$/.exec(isBinary ? '' : text.slice(-400))?.[1];
  return [
    ...found,
    ...(comment && !file.startsWith('node_modules/') ? [`${file} names a map (${basename(comment)})`] : []),
  ];
}
