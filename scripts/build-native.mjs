#!/usr/bin/env node
/**
 * Builds the native addon, or takes it from the user's cache when the same sources were built before.
 *
 * The answer is always a value: a machine without cargo, or with a failing build, runs on the JavaScript twins, and
 * the caller says so. `native/tenon.node.json` records which sources the addon must come from; the loader refuses
 * an addon from any others by name.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { takeLock } from './setup/lock.mjs';

const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const ADDON_FILE = 'tenon.node';
/** What the addon is made of, from the repository's root. */
const SOURCES = ['Cargo.toml', 'Cargo.lock', 'crates', 'native/Cargo.toml', 'native/build.rs', 'native/rust'];
/** Folders that never end up in the addon. */
const SKIPPED_FOLDERS = new Set(['tests', 'benches', 'examples', 'target', 'proptest-regressions']);
/** Stays after a build that was killed, so that the next one goes on from there. */
const TEMPORARY_TARGET = '.setup/target';
const CACHE_ENTRIES_KEPT = 4;
/** A build that failed is not tried again by itself for this long, while its sources stay the same. */
const FAILED_BUILD_REST_MS = 10 * 60_000;

/**
 * @typedef {{ ok: true, path: string, hash: string, key: string, target: string, profile: string,
 *             how: 'unchanged' | 'cached' | 'built', milliseconds: number }} AddonReady
 * @typedef {{ ok: false, reason: string, hash: string, unbuilt?: true }} AddonMissing
 *   `unbuilt`: there is none in the cache, and the caller wanted no build
 */

/**
 * Makes sure that `native/tenon.node` is the addon of the present sources.
 * @param {{ log?: (line: string) => void, release?: boolean, root?: string, env?: NodeJS.ProcessEnv,
 *           retryFailed?: boolean, build?: boolean, keepTarget?: boolean }} [options]
 *   `keepTarget: false` compiles in a folder of its own and removes it: several hundred MB for who does not work on the Rust code
 * @returns {Promise<AddonReady | AddonMissing>}
 */
export async function ensureAddon(options = {}) {
  const { log = () => {}, release = true, root = REPOSITORY, env = process.env, retryFailed = false } = options;
  const { build = true, keepTarget = true } = options;
  const started = Date.now();
  const profile = release ? 'release' : 'debug';
  const path = join(root, 'native', ADDON_FILE);
  const stampFile = `${path}.json`;
  const stamp = readJson(stampFile);

  const files = listSources(root);
  const stat = statDigest(files);
  const sameSources = stamp?.stat === stat && stamp?.profile === profile;
  if (sameSources && stamp.key && existsSync(path) && statSync(path).size === stamp.size) {
    const { hash, key, target } = stamp;
    return { ok: true, path, hash, key, target, profile, how: 'unchanged', milliseconds: Date.now() - started };
  }
  const rested = Date.now() - Date.parse(stamp?.failedAt ?? '') >= FAILED_BUILD_REST_MS;
  if (sameSources && stamp.failure && !rested && !retryFailed) {
    return { ok: false, reason: stamp.failure, hash: stamp.hash };
  }

  const hash = contentHash(root, files);
  /** @param {string} reason @param {boolean} final A missing compiler may come any time; a failed build rests. */
  const fail = (reason, final) => {
    const failure = final ? { failure: reason, failedAt: new Date().toISOString() } : { failure: reason };
    writeAtomically(stampFile, `${JSON.stringify({ hash, profile, stat, ...failure }, null, 2)}\n`);
    return { ok: /** @type {const} */ (false), reason, hash };
  };

  const compiler = await describeCompiler(env);
  if (!compiler.ok) return fail(compiler.reason, false);
  const target = env.CARGO_BUILD_TARGET || compiler.host;
  const key = digest([hash, compiler.release, target, profile]);
  const cacheRoot = join(cacheFolder(env), 'native');
  const cached = join(cacheRoot, key, ADDON_FILE);

  let how = /** @type {'cached' | 'built'} */ ('cached');
  let source = cached;
  const targetFolder = join(root, TEMPORARY_TARGET);
  if (!isOwnFile(cached)) {
    if (!build) return { ok: false, reason: 'it is not built yet', hash, unbuilt: true };
    const letGo = await lockBuild(cacheFolder(env), key, log);
    try {
      // Another checkout may have built it while this one waited.
      if (!isOwnFile(cached)) {
        how = 'built';
        log(`native addon: building (${profile}, ${target}); this happens once per version of its sources`);
        // From here on an addon of older sources is refused, and who looks for the new one sees how far it is.
        const tell = (crates) =>
          writeAtomically(stampFile, `${JSON.stringify({ hash, profile, building: { pid: process.pid, crates } })}\n`);
        tell('0 crates');
        const folder = keepTarget ? {} : { CARGO_TARGET_DIR: targetFolder };
        const built = await cargoBuild({ root, env: { ...env, ...folder }, release, hash, log, tell });
        if (!built.ok) return fail(built.reason, true);
        if (statDigest(listSources(root)) !== stat)
          return fail('its sources changed during the build; run `npm run setup`', false);
        source = built.artifact;
        keep(source, cached, log);
      }
    } finally {
      letGo();
    }
  }
  if (isOwnFile(cached)) tidyCache(cacheRoot, key, log);
  placeAtomically(source, path);
  const { size } = statSync(path);
  const record = { hash, key, target, profile, builtAt: new Date().toISOString(), size, stat };
  writeAtomically(stampFile, `${JSON.stringify(record, null, 2)}\n`);
  if (!keepTarget) rmSync(targetFolder, { recursive: true, force: true });
  return { ok: true, path, hash, key, target, profile, how, milliseconds: Date.now() - started };
}

/** Whether a file is there that no other user can have put there: it becomes a part of Tenon. Only root may do so in any folder. */
function isOwnFile(file) {
  const owner = statSync(file, { throwIfNoEntry: false })?.uid;
  return owner !== undefined && [process.geteuid?.() ?? owner, 0].includes(owner);
}

/** The content hash of the addon's sources, as `sourceHash()` of an addon built from them reports it. */
export function sourceHash(root = REPOSITORY) {
  return contentHash(root, listSources(root));
}

/**
 * The same rule as native/src/loader.ts; a script that runs before anything is built cannot import TypeScript.
 * @param {NodeJS.ProcessEnv} env
 */
export function cacheFolder(env = process.env) {
  const { TENON_CACHE_DIR: cache, TENON_HOME: own, XDG_CACHE_HOME: xdg } = env;
  if (cache && isAbsolute(cache)) return cache;
  if (own && isAbsolute(own)) return join(own, 'cache');
  if (xdg && isAbsolute(xdg)) return join(xdg, 'tenon');
  const home = [env.HOME, homedir()].find((folder) => folder && isAbsolute(folder)) ?? userInfo().homedir;
  return join(home, '.cache', 'tenon');
}

/** @param {string} root @returns {{ path: string, name: string, size: number, changed: number }[]} */
function listSources(root) {
  const files = [];
  const pending = SOURCES.map((name) => join(root, name));
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      for (const entry of readdirSync(path)) {
        if (!entry.startsWith('.') && !SKIPPED_FOLDERS.has(entry)) pending.push(join(path, entry));
      }
    } else if (stat?.isFile()) {
      const name = relative(root, path).split(sep).join('/');
      files.push({ path, name, size: stat.size, changed: stat.mtimeMs });
    }
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Tells cheaply whether anything may have changed, without reading a file. */
function statDigest(files) {
  return digest(files.map((file) => `${file.name}\0${file.size}\0${file.changed}`));
}

function contentHash(root, files) {
  return digest(files.flatMap((file) => [file.name, readFileSync(join(root, file.name))]));
}

/** @param {(string | Buffer)[]} parts */
function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, 24);
}

/** @param {NodeJS.ProcessEnv} env */
async function describeCompiler(env) {
  const missing = 'cargo is not installed; get Rust from https://rustup.rs and run `npm run setup`';
  const result = await run(env.RUSTC || 'rustc', ['-vV'], { env });
  if (result.code !== 0) return { ok: /** @type {const} */ (false), reason: missing };
  const field = (/** @type {string} */ name) => new RegExp(`^${name}: (.+)$`, 'm').exec(result.stdout)?.[1] ?? '';
  return {
    ok: /** @type {const} */ (true),
    host: field('host'),
    release: `${field('release')} ${field('commit-hash')}`,
  };
}

/**
 * @param {{ root: string, env: NodeJS.ProcessEnv, release: boolean, hash: string, log: (line: string) => void,
 *           tell: (crates: string) => void }} job
 */
async function cargoBuild({ root, env, release, hash, log, tell }) {
  // Locked, because the lock file is one of the sources: a build that changed it would not be what was hashed.
  const args = ['build', '-p', 'tenon-native', '--locked', ...(release ? ['--release'] : [])];
  let artifact = '';
  /** A crate with a build script reports several artifacts. */
  const crates = new Set();
  const total = await countCrates(root, env);
  let spoken = Date.now();
  const result = await run(env.CARGO || 'cargo', [...args, '--message-format=json-render-diagnostics'], {
    cwd: root,
    env: { ...env, TENON_NATIVE_HASH: hash },
    onLine(line) {
      const message = parseMessage(line);
      if (message?.reason !== 'compiler-artifact') return;
      crates.add(message.package_id);
      if (message.target?.name === 'tenon_native' && message.target.kind?.includes('cdylib')) {
        artifact = message.filenames?.find((name) => /\.(so|dylib|dll)$/.test(name)) ?? artifact;
      }
      if (Date.now() - spoken > 3000) {
        spoken = Date.now();
        const done = total === undefined ? `${crates.size} crates` : `${crates.size} of ${total} crates`;
        log(`native addon: ${done}`);
        tell(done);
      }
    },
  });
  if (result.code === 0 && artifact) return { ok: /** @type {const} */ (true), artifact };
  if (result.code === undefined)
    return { ok: /** @type {const} */ (false), reason: `cargo did not start: ${result.stderr}` };
  log(result.stderr.trimEnd());
  const lines = result.stderr.split('\n');
  const first = lines.find((line) => line.startsWith('error')) ?? lines.at(-2) ?? 'no message';
  return { ok: /** @type {const} */ (false), reason: `cargo build failed: ${first.trim()}` };
}

/** How many crates the addon consists of, for the progress; undefined where cargo cannot tell. @param {NodeJS.ProcessEnv} env */
async function countCrates(root, env) {
  const args = ['tree', '-p', 'tenon-native', '--locked', '--edges=normal,build', '--prefix=none', '--format={p}'];
  const { code, stdout } = await run(env.CARGO || 'cargo', args, { cwd: root, env });
  if (code !== 0) return undefined;
  return new Set(stdout.split('\n').flatMap((line) => (line ? [line.replace(/ \(\*\)$/, '')] : []))).size;
}

/** @param {string} line */
function parseMessage(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // A line that a build script printed itself.
  }
}

/**
 * @param {string} command @param {string[]} args
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv, onLine?: (line: string) => void }} options
 * @returns {Promise<{ code: number | null | undefined, stdout: string, stderr: string }>} no code: it did not start
 */
function run(command, args, { cwd, env, onLine }) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      stdout += text;
      if (!onLine) return;
      const lines = stdout.split('\n');
      stdout = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    });
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      stderr = (stderr + text).slice(-20_000);
    });
    child.on('error', (error) => done({ code: undefined, stdout, stderr: error.message }));
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}

/** Two checkouts with the same sources do not compile them side by side. @returns {Promise<() => void>} lets the others go on */
async function lockBuild(folder, key, log) {
  const onWait = (/** @type {number} */ pid) =>
    log(`native addon: waits for process ${pid}, which builds the same in another checkout`);
  try {
    mkdirSync(folder, { recursive: true });
    return await takeLock(join(folder, `${key}.lock`), { onWait });
  } catch {
    // Without a folder that can be written nobody gets anything from there, either.
    return () => {};
  }
}

/** A cache that cannot be written costs the next clone a build, and this one nothing. */
function keep(artifact, cached, log) {
  try {
    placeAtomically(artifact, cached);
  } catch (error) {
    sayUnkept(error, log);
  }
}

/** The cache drops what was not used for longest. */
function tidyCache(cacheRoot, key, log) {
  const now = new Date();
  try {
    utimesSync(join(cacheRoot, key), now, now);
    pruneCache(cacheRoot, key);
  } catch (error) {
    sayUnkept(error, log);
  }
}

function sayUnkept(error, log) {
  log(`native addon: not kept in the cache: ${error instanceof Error ? error.message : error}`);
}

/** A reader sees the old addon or the new one, never half of it; a process that has the old one open keeps it. */
function placeAtomically(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const temporary = `${to}.${process.pid}.tmp`;
  copyFileSync(from, temporary, constants.COPYFILE_FICLONE);
  renameSync(temporary, to);
}

function writeAtomically(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

function pruneCache(folder, current) {
  const entries = readdirSync(folder)
    .filter((name) => name !== current)
    .map((name) => ({ name, used: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  for (const { name } of entries.slice(CACHE_ENTRIES_KEPT - 1))
    rmSync(join(folder, name), { recursive: true, force: true });
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // Absent or damaged: both mean that the addon is placed anew.
  }
}

async function main() {
  if (process.argv.includes('--hash')) {
    process.stdout.write(`${sourceHash()}\n`);
    return;
  }
  const result = await ensureAddon({
    log: (line) => process.stderr.write(`${line}\n`),
    release: !process.argv.includes('--debug'),
    retryFailed: true,
  });
  if (result.ok) {
    const size = (statSync(result.path).size / 1e6).toFixed(1);
    process.stdout.write(`${result.path} ${result.how} in ${result.milliseconds} ms, ${size} MB, ${result.hash}\n`);
  } else {
    process.stdout.write(`no native addon: ${result.reason}\n`);
    process.exitCode = 1;
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
