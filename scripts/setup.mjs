#!/usr/bin/env node
/**
 * Sets up a checkout: npm packages, native addon, the built command line and SDK. Each part looks for itself whether it
 * has anything to do, so running this again costs next to nothing. Runs on plain Node, before anything is installed.
 *
 *   node scripts/setup.mjs            what `./tenon` needs
 *   node scripts/setup.mjs --debian   also the programs that tests drive
 *   node scripts/setup.mjs --build    also the JavaScript and declarations of every package (tsc -b)
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ensureAddon } from './build-native.mjs';
import { digestOf, PROGRAM_FILE, readState, STATE_FILE, staleParts } from './freshness.mjs';
import { ensureDebianPackages } from './setup/debian.mjs';
import { takeLock } from './setup/lock.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { createProgress } from './setup/progress.mjs';
import { runCommand, stopCommands } from './setup/run-command.mjs';

const REPOSITORY = dirname(dirname(fileURLToPath(import.meta.url)));
const LOCK_FOLDER = '.setup';
/** Built with the command line, which runs without it; missing only where it was deleted. */
const SDK_FILES = ['packages/sdk/dist/index.js', 'packages/sdk/dist/types', 'packages/model-fakes/dist/index.js'];
const EXIT_FAILED = 69;
const EXIT_INTERRUPTED = 130;

/**
 * Does what is missing. Throws when the command line cannot run afterwards; a missing addon is only reported.
 * @param {{ root?: string, progress?: import('./setup/progress.mjs').Progress, retryAddon?: boolean, only?: string[] }} [options]
 * @returns {Promise<{ addonProblem: string | undefined, worked: boolean }>}
 */
export async function setUp({ root = REPOSITORY, progress = createProgress(), retryAddon = false, only } = {}) {
  checkNode();
  const stale = (part) => staleParts(root).includes(part) || (part === 'program' && isSdkMissing(root));
  const isWanted = (part) => (!only || only.includes(part)) && stale(part);
  const addonFailedBefore = retryAddon && typeof readState(root).addonProblem === 'string';
  const nothing = !['packages', 'addon', 'program'].some(isWanted) && !addonFailedBefore;
  if (nothing) return { addonProblem: knownAddonProblem(root), worked: false };

  await withLock(root, 'program', progress, async () => {
    if (isWanted('packages')) await record(root, 'packages', () => ensurePackages(root, progress));
    if (isWanted('program')) await progress.step('program', () => setUpProgram(root));
  });
  // Under a lock of its own, because it may take minutes: a run that needs only the program goes on meanwhile.
  if (isWanted('addon') || addonFailedBefore) {
    await withLock(root, 'addon', progress, async () => {
      if (isWanted('addon') || addonFailedBefore) await setUpAddon(root, progress, retryAddon);
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
    const { addonProblem, worked } = await setUp({ root, progress });
    if (worked && addonProblem) sayAddonProblem(progress, addonProblem);
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

/** Says that the twins serve, and why. @param {import('./setup/progress.mjs').Progress} progress @param {string} reason */
export function sayAddonProblem(progress, reason) {
  progress.say(`no native addon: ${reason}`);
  progress.say('the JavaScript twins serve instead: everything works, slower. Try again with `npm run setup`.');
}

/** The small checkouts of the launcher's tests have no SDK. */
function isSdkMissing(root) {
  if (!existsSync(join(root, 'packages/sdk/src/index.ts'))) return false;
  return SDK_FILES.some((file) => !existsSync(join(root, file)));
}

async function setUpAddon(root, progress, retryFailed) {
  const digest = digestOf(root, 'addon');
  const result = await ensureAddon({ root, log: progress.say, release: true, retryFailed }).catch((error) => {
    if (isReadOnly(error)) throw error;
    return { ok: false, reason: error.message };
  });
  // A failure is recorded as done, too: the next try is when the sources change or on `npm run setup`.
  writeState(root, { addon: digest, addonProblem: result.ok ? undefined : result.reason });
  if (result.ok && result.how !== 'unchanged') {
    progress.say(
      `native addon: ${result.how === 'built' ? 'built' : 'taken from the cache'} in ${(result.milliseconds / 1000).toFixed(1)} s`,
    );
  }
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

async function main() {
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
