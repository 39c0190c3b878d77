/**
 * Tells whether set-up has anything to do, from file times and sizes alone. The launcher asks this before every
 * command, so it reads no file but its own record and loads nothing beyond `node:fs`.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';

/** Where set-up records what it did, from the repository's root. */
export const STATE_FILE = '.setup/state.json';
/** The built command line, from the repository's root. */
export const PROGRAM_FILE = 'packages/cli/dist/main.js';
/** The native addon, from the repository's root. */
const ADDON_FILE = 'native/tenon.node';

/** What each part of set-up is made from; `*` stands for every folder there. */
const PARTS = {
  packages: [
    'package-lock.json',
    '.npmrc',
    'package.json',
    'packages/*/package.json',
    'packages/plugins/*/*/package.json',
  ],
  addon: ['Cargo.toml', 'Cargo.lock', 'crates', 'native/Cargo.toml', 'native/build.rs', 'native/rust'],
  program: [
    'package-lock.json',
    'packages/*/src',
    'packages/plugins/*/*/src',
    'packages/*/package.json',
    'packages/plugins/*/*/package.json',
    'native/src',
    'native/package.json',
    'packages/cli/loader',
    'scripts/build-program.mjs',
    'scripts/program',
    'scripts/generate-builtins.mjs',
    'scripts/generate-families.mjs',
  ],
};

/** @typedef {keyof typeof PARTS | 'notice'} Part */

/**
 * The parts whose sources are not those that set-up last worked on; `notice` when set-up failed in the background and nobody was told.
 * @param {string} root
 * @returns {Part[]}
 */
export function staleParts(root) {
  const state = readState(root);
  const stale = Object.keys(PARTS).filter((part) => state[part] !== digestOf(root, /** @type {Part} */ (part)));
  // A failed build left no addon, and is not tried again before its sources change.
  if (!state.addonProblem && !exists(`${root}/${ADDON_FILE}`) && !stale.includes('addon')) stale.push('addon');
  if (!exists(`${root}/node_modules`) && !stale.includes('packages')) stale.unshift('packages');
  if (!exists(`${root}/${PROGRAM_FILE}`) && !stale.includes('program')) stale.push('program');
  if (state.addonProblem && state.addonProblemUntold) stale.push('notice');
  return /** @type {Part[]} */ (stale);
}

/** What set-up last recorded; nothing when it never finished. @param {string} root @returns {Record<string, unknown>} */
export function readState(root) {
  try {
    return JSON.parse(readFileSync(`${root}/${STATE_FILE}`, 'utf8'));
  } catch {
    return {}; // Absent or damaged: set-up looks at everything again.
  }
}

/** One number for the names, sizes and times of all files of a part. @param {string} root @param {Part} part */
export function digestOf(root, part) {
  const sum = { a: 0x811c9dc5, b: 0x1b873593 };
  for (const pattern of PARTS[part]) {
    for (const path of expand(root, pattern))
      addPath(sum, path, path.slice(root.length), statSync(path, { throwIfNoEntry: false }));
  }
  return `${(sum.a >>> 0).toString(16)}-${(sum.b >>> 0).toString(16)}`;
}

function expand(root, pattern) {
  return pattern.split('/').reduce(
    (paths, part) =>
      paths.flatMap((path) => {
        if (part !== '*') return [`${path}/${part}`];
        const folders = listFolder(path).filter((entry) => entry.isDirectory());
        return folders.map(({ name }) => `${path}/${name}`);
      }),
    [root],
  );
}

/** Only the last part of a path goes into the sum, in the order of the walk: some fifteen hundred whole paths cost as much as looking at the files. */
function addPath(sum, path, name, stat) {
  if (stat === undefined) return;
  addText(sum, name);
  if (!stat.isDirectory()) {
    addNumber(sum, stat.size);
    addNumber(sum, stat.mtimeMs * 1000);
    return;
  }
  for (const entry of listFolder(path)) {
    if (entry.name === 'target' || entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
    const child = `${path}/${entry.name}`;
    addPath(sum, child, entry.name, entry.isDirectory() ? entry : statSync(child, { throwIfNoEntry: false }));
  }
  addText(sum, '/');
}

function listFolder(folder) {
  try {
    // Node gives the names in order.
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  }
}

function addText(sum, text) {
  for (let at = 0; at < text.length; at += 1) addWord(sum, text.charCodeAt(at));
}

function addNumber(sum, number) {
  addWord(sum, number % 0x1_0000_0000);
  addWord(sum, number / 0x1_0000_0000);
}

/** Two independent 32-bit FNV-1a-like sums: enough to notice a change, and no hash library to load. */
function addWord(sum, word) {
  sum.a = Math.imul(sum.a ^ word, 0x01000193);
  sum.b = Math.imul(sum.b ^ word, 0x85ebca6b) ^ (sum.b >>> 13);
}

function exists(path) {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
