/**
 * Brings node_modules to what package-lock.json says. npm's own record of what it installed is compared with the
 * lock file, so that a developer's `npm install` is noticed and nothing is installed twice.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { runCommand } from './run-command.mjs';

const NPM_LINES_SHOWN = 12;

/**
 * @param {string} root @param {import('./progress.mjs').Progress} progress
 * @param {{ development: boolean }} options without `development`, those that only tests and checks need are left out: half of the bytes
 * @returns {Promise<'unchanged' | 'installed'>}
 */
export async function ensurePackages(root, progress, { development }) {
  // What a developer has once installed is kept up to date.
  const all = development || hasDevelopmentPackages(root);
  if (missingPackages(root, all).length === 0) return 'unchanged';
  await progress.step('npm packages', async () => {
    // No package may run code while it is installed; none that we use needs to.
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    if (!all) args.push('--omit=dev');
    const result = await runCommand(npmCommand(), args, { cwd: root });
    if (result.missing) throw new Error('npm was not found; install Node.js with npm from https://nodejs.org');
    if (result.code !== 0) throw new Error(`npm ci failed (exit ${result.code}):\n${shorten(result.output)}`);
    const missing = missingPackages(root, all);
    if (missing.length > 0) throw new Error(`npm ci did not install ${missing.slice(0, 5).join(', ')}`);
  });
  return 'installed';
}

/** Whether the packages for tests and checks are installed, too. @param {string} root */
export function hasDevelopmentPackages(root) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json')) ?? {};
  return Object.entries(installed).some(([path, { dev }]) => dev === true && path.includes('node_modules/'));
}

/** The packages of the lock file that are absent or of another version. @param {string} root @param {boolean} development @returns {string[]} */
export function missingPackages(root, development = true) {
  const locked = readPackages(join(root, 'package-lock.json'));
  if (!locked) throw new Error(`package-lock.json is missing or damaged in ${root}; restore it with git`);
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (!installed) return ['node_modules'];
  const missing = [];
  for (const [path, entry] of Object.entries(locked)) {
    if (!path.includes('node_modules/') || (entry.dev && !development)) continue;
    const have = installed[path];
    const there =
      have?.version === entry.version && have?.integrity === entry.integrity && existsSync(join(root, path));
    // npm leaves out optional packages that are made for other platforms.
    if (!there && !(entry.optional && !have)) missing.push(path);
  }
  return missing;
}

/** The head of what npm says; its help text and long lists hide the reason. */
function shorten(output) {
  const lines = output
    .trim()
    .split('\n')
    .filter((line) => !/^npm error\s*$/.test(line));
  const shown = lines.slice(0, NPM_LINES_SHOWN);
  const network = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|network/.test(output);
  if (network) shown.push('The packages are fetched once; connect to the network and try again.');
  if (output.includes('in sync'))
    shown.push('Run `npm install`, look at what it changed in package-lock.json, and commit that.');
  return shown.join('\n');
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined; // Absent or damaged: both mean that npm has to work.
  }
}

/** The npm that belongs to the running Node, so that both fit each other. */
function npmCommand() {
  const beside = join(dirname(process.execPath), 'npm');
  return existsSync(beside) ? beside : 'npm';
}
