#!/usr/bin/env node
/**
 * Sets up a checkout: npm packages, native addon, the built command line and SDK. Each part looks for itself whether it
 * has anything to do, so running this again costs next to nothing. Runs on plain Node, before anything is installed.
 *
 *   node scripts/setup.mjs            everything for work on Tenon; `./tenon` itself asks for less
 *   node scripts/setup.mjs --addon    the addon alone, as `./tenon` starts it in the background
 *   node scripts/setup.mjs --debian   also the programs that tests drive
 *   node scripts/setup.mjs --build    also the JavaScript and declarations of every package (tsc -b)
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ensureAddon } from './build-native.mjs';
import { digestOf, PROGRAM_FILE, readState, STATE_FILE, staleParts } from './freshness.mjs';
import { ensureDebianPackages } from './setup/debian.mjs';
import { isHeld, takeLock } from './setup/lock.mjs';
import { ensurePackages, hasDevelopmentPackages, missingPackages } from './setup/packages.mjs';
import { createProgress } from './setup/progress.mjs';
import { runCommand, stopCommands } from './setup/run-command.mjs';

const REPOSITORY = dirname(dirname(fileURLToPath(import.meta.url)));
const LOCK_FOLDER = '.setup';
/** Built with the command line, which runs without it; missing only where it was deleted. */
const SDK_FILES = ['packages/sdk/dist/index.js', 'packages/sdk/dist/types', 'packages/model-fakes/dist/index.js'];
const ADDON_LOG = '.setup/addon.log';
/** Others come first while the addon is built in the background. */
const BACKGROUND_PRIORITY = 10;
const EXIT_FAILED = 69;
const EXIT_INTERRUPTED = 130;

/**
 * Does what is missing. Throws when the command line cannot run afterwards; a missing addon is only reported.
 * @param {{ root?: string, progress?: import('./setup/progress.mjs').Progress, retryAddon?: boolean, only?: string[],
 *           development?: boolean }} [options] `development`: also what tests, checks and the SDK need
 * @returns {Promise<{ addonProblem: string | undefined, worked: boolean }>}
 */
export async function setUp({
  root = REPOSITORY,
  progress = createProgress(),
  retryAddon = false,
  only,
  development = true,
} = {}) {
  checkNode();
  const stale = (part) =>
    staleParts(root).includes(part) ||
    (development && part === 'packages' && missingPackages(root).length > 0) ||
    (development && part === 'program' && isSdkMissing(root));
  const isWanted = (part) => (!only || only.includes(part)) && stale(part);
  const addonFailedBefore = retryAddon && typeof readState(root).addonProblem === 'string';
  const nothing = !['packages', 'addon', 'program'].some(isWanted) && !addonFailedBefore;
  if (nothing) return { addonProblem: knownAddonProblem(root), worked: false };

  await withLock(root, 'program', progress, async () => {
    if (isWanted('packages')) await record(root, 'packages', () => ensurePackages(root, progress, { development }));
    if (isWanted('program')) await progress.step('program', () => setUpProgram(root));
  });
  // Under a lock of its own, because it may take minutes: a run that needs only the program goes on meanwhile.
  if (isWanted('addon') || addonFailedBefore) {
    await withLock(root, 'addon', progress, async () => {
      if (isWanted('addon') || addonFailedBefore) await setUpAddon(root, progress, { retryFailed: retryAddon });
    });
  }
  return { addonProblem: knownAddonProblem(root), worked: true };
}

/** Works while no other process does the same here; Ctrl-C releases the lock and stops what was started. */
async function withLock(root, name, progress, work) {
  const release = await takeLock(join(root, LOCK_FOLDER, `${name}.lock`), {
    onWait: (pid) => progress.say(`another set-up of this checkout is at work (process ${pid}); waiting for it`),
  });
  const stop = () => {
    stopCommands();
    release();
    process.exit(EXIT_INTERRUPTED);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await work();
  } finally {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
    release();
  }
}

/**
 * Set-up as the launcher wants it: the exit code to stop with, or 0 to go on.
 * @param {string} root
 */
export async function setUpForLaunch(root) {
  const progress = createProgress();
  try {
    await setUp({ root, progress, only: ['packages', 'program'], development: hasDevelopmentPackages(root) });
    if (staleParts(root).includes('addon')) await setUpAddonForLaunch(root, progress);
    const { addonProblem, addonProblemUntold } = readState(root);
    if (typeof addonProblem === 'string' && addonProblemUntold) {
      sayAddonProblem(progress, addonProblem);
      writeState(root, { addonProblemUntold: undefined });
    }
    return 0;
  } catch (error) {
    if (isReadOnly(error) && existsSync(join(root, PROGRAM_FILE))) {
      progress.say(`this checkout cannot be written (${error.code}); running the program that was built earlier`);
      return 0;
    }
    const hint = isReadOnly(error) ? '\nMake the checkout writable once, or run a copy of it.' : '';
    progress.say(`failed: ${error.message}${hint}`);
    return EXIT_FAILED;
  }
}

/** The first answer does not wait for a compiler: where cargo would begin from nothing, it works in the background. */
async function setUpAddonForLaunch(root, progress) {
  if (isHeld(join(root, LOCK_FOLDER, 'addon.lock'))) return;
  const isIncremental = existsSync(join(root, 'target', 'release'));
  if (isIncremental) {
    await setUp({ root, progress, only: ['addon'], development: false });
    return;
  }
  let isUnbuilt = false;
  await withLock(root, 'addon', progress, async () => {
    if (staleParts(root).includes('addon')) isUnbuilt = await setUpAddon(root, progress, { build: false });
  });
  if (!isUnbuilt) return;
  const log = openSync(join(root, ADDON_LOG), 'w');
  const builder = [join(root, 'scripts', 'setup.mjs'), '--addon'];
  spawn(process.execPath, builder, { cwd: root, detached: true, stdio: ['ignore', log, log] }).unref();
  closeSync(log);
  progress.say('the native addon is being built in the background, once (about two minutes). Until it is there the');
  progress.say('JavaScript twins serve: same answers, slower. `./tenon doctor` shows how far it is.');
}

/** Says that the twins serve, and why. @param {import('./setup/progress.mjs').Progress} progress @param {string} reason */
export function sayAddonProblem(progress, reason) {
  progress.say(`no native addon: ${reason}`);
  progress.say('the JavaScript twins serve instead: same answers, slower. Try again with `npm run setup`.');
}

/** The small checkouts of the launcher's tests have no SDK. */
function isSdkMissing(root) {
  if (!existsSync(join(root, 'packages/sdk/src/index.ts'))) return false;
  return SDK_FILES.some((file) => !existsSync(join(root, file)));
}

/** @returns {Promise<boolean>} whether it would have to be built, and `build` is false */
async function setUpAddon(root, progress, options) {
  const digest = digestOf(root, 'addon');
  const result = await ensureAddon({ root, log: progress.say, release: true, ...options }).catch((error) => {
    if (isReadOnly(error)) throw error;
    return { ok: false, reason: error.message };
  });
  if (!result.ok && result.unbuilt) return true;
  // A failure is recorded as done, too: the next try is when the sources change or on `npm run setup`.
  const problem = result.ok ? undefined : result.reason;
  writeState(root, { addon: digest, addonProblem: problem, addonProblemUntold: problem ? true : undefined });
  if (result.ok && result.how !== 'unchanged') {
    progress.say(
      `native addon: ${result.how === 'built' ? 'built' : 'taken from the cache'} in ${(result.milliseconds / 1000).toFixed(1)} s`,
    );
  }
  return false;
}

async function setUpProgram(root) {
  const { generateBuiltins } = await import('./generate-builtins.mjs');
  const { buildProgram } = await import('./build-program.mjs');
  await generateBuiltins({ root });
  await record(root, 'program', () => buildProgram({ root }));
}

/** The digest is taken before the work: a file that changes meanwhile makes the part stale again. */
async function record(root, part, work) {
  const digest = digestOf(root, part);
  await work();
  writeState(root, { [part]: digest });
}

function writeState(root, change) {
  const path = join(root, STATE_FILE);
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ ...readState(root), ...change }, null, 2)}\n`);
  renameSync(temporary, path);
}

function knownAddonProblem(root) {
  const problem = readState(root).addonProblem;
  return typeof problem === 'string' ? problem : undefined;
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(`Tenon needs Node.js 20.19 or newer; this is ${process.version}. Get it from https://nodejs.org`);
}

function isReadOnly(error) {
  return ['EROFS', 'EACCES', 'EPERM'].includes(error?.code);
}

/** Under the lock that the launcher looks at, so that no second build begins meanwhile. */
async function buildAddonInBackground() {
  setPriority(BACKGROUND_PRIORITY);
  const progress = createProgress();
  await withLock(REPOSITORY, 'addon', progress, async () => {
    if (staleParts(REPOSITORY).includes('addon')) await setUpAddon(REPOSITORY, progress, { keepTarget: false });
  });
}

async function main() {
  if (process.argv.includes('--addon')) {
    await buildAddonInBackground();
    return;
  }
  const progress = createProgress();
  const { addonProblem } = await setUp({ progress, retryAddon: true });
  if (addonProblem) sayAddonProblem(progress, addonProblem);
  if (process.argv.includes('--debian')) await ensureDebianPackages(progress);
  if (process.argv.includes('--build')) {
    await progress.step('packages of the workspace (tsc -b)', async () => {
      const tsc = join(REPOSITORY, 'node_modules', '.bin', 'tsc');
      const result = await runCommand(tsc, ['-b'], { cwd: REPOSITORY });
      if (result.code !== 0) throw new Error(`tsc -b found problems:\n${result.output}`);
    });
  }
  progress.say('ready');
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`tenon set-up: failed: ${error.message}\n`);
    process.exitCode = EXIT_FAILED;
  }
}
