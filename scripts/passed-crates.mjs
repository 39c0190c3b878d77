/**
 * Which Rust crates have passed their tests with the same sources, lock file and compiler: `npm test` does not repeat those, and says
 * so. Who changes a crate runs its tests and those of the crates that are built on it.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { dirname, join } from 'node:path';

import { cacheFolder } from './build-native.mjs';
import { COMMON_SEED } from './common-seed.mjs';
import { runCommand } from './setup/run-command.mjs';

/** Enough for the states of some branches. */
const MOST_KEPT = 400;

/**
 * @param {string} root @param {readonly string[]} crates
 * @returns {Promise<Map<string, string>>} for each crate a key that changes with everything its tests are built from; empty without a compiler
 */
export async function crateKeys(root, crates) {
  const compiler = await runCommand('rustc', ['-vV'], { cwd: root });
  if (compiler.missing || compiler.code !== 0) return new Map();
  const common = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo/config.toml']
    .filter((name) => existsSync(join(root, name)))
    .map((name) => `${name}\0${readFileSync(join(root, name), 'utf8')}`);
  const chances = [COMMON_SEED, process.env['PROPTEST_CASES'], release()].join(' ');
  const sources = new Map(crates.map((crate) => [crate, folderDigest(join(root, 'crates', crate))]));
  return new Map(
    crates.map((crate) => {
      const parts = withDependencies(root, crate).map((name) => `${name} ${sources.get(name)}`);
      return [crate, digest([compiler.output, chances, ...common, crate, ...parts])];
    }),
  );
}

/** When each key passed. @returns {Record<string, string>} */
export function readPassed() {
  try {
    return JSON.parse(readFileSync(passedFile(), 'utf8'));
  } catch {
    return {}; // None yet, or damaged: then all crates are tested.
  }
}

/** @param {readonly string[]} keys of crates whose tests have all passed just now */
export function rememberPassed(keys) {
  const now = new Date().toISOString();
  const all = { ...readPassed(), ...Object.fromEntries(keys.map((key) => [key, now])) };
  const newest = Object.entries(all).toSorted(([, a], [, b]) => (a < b ? 1 : -1));
  const file = passedFile();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(Object.fromEntries(newest.slice(0, MOST_KEPT))));
  renameSync(`${file}.${process.pid}`, file);
}

function passedFile() {
  return join(cacheFolder(), 'passed-crates.json');
}

/** The crate and all of this repository's that it is built on. */
function withDependencies(root, crate) {
  const found = new Set([crate]);
  // A set gives also what is added while one walks through it.
  for (const name of found) {
    const manifest = readFileSync(join(root, 'crates', name, 'Cargo.toml'), 'utf8');
    for (const [, dependency] of manifest.matchAll(/^tenon-([\w-]+)/gm)) found.add(dependency);
  }
  return [...found].sort();
}

function folderDigest(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return digest(names.sort().flatMap((name) => [name.slice(folder.length), readFileSync(name)]));
}

function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, 24);
}
