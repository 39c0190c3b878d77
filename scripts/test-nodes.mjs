#!/usr/bin/env node
/**
 * Runs the suite on several versions of Node.js, which come from npm: `npm run test:nodes`, `npm run test:nodes -- 22 24`,
 * `npm run test:nodes -- 24 native/test`. Numbers are versions, all else are paths of tests.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { runFailedAgain, runVitest } from './run-vitest.mjs';
import { ensureDebianPackages } from './setup/debian.mjs';
import { createProgress } from './setup/progress.mjs';
import { runCommand } from './setup/run-command.mjs';
import { setUp } from './setup.mjs';
import { REPOSITORY } from './workspace.mjs';

/** The versions that are supported. */
const VERSIONS = ['20', '22', '24'];

const words = process.argv.slice(2);
const versions = words.filter((word) => /^\d+(?:\.\d+){0,2}$/.test(word));
const filters = words.filter((word) => !versions.includes(word));
if (!process.env.TENON_SKIP_SETUP) {
  const progress = createProgress();
  await setUp({ progress, retryAddon: true });
  await ensureDebianPackages(progress);
}
const before = process.env.PATH ?? '';
let isFailed = false;
for (const version of versions.length > 0 ? versions : VERSIONS) {
  const node = await nodeOf(version);
  // Tests start `node` by its name and by the path of the one that runs them.
  process.env.PATH = `${dirname(node)}${delimiter}${before}`;
  process.stdout.write(`\nNode.js ${version} (${node})\n`);
  const { passed, failed, skipped, unsteady, code } = await runFailedAgain(
    REPOSITORY,
    await runVitest(REPOSITORY, filters, { shared: true }),
  );
  process.stdout.write(`Node.js ${version}: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  if (unsteady.length > 0) process.stdout.write(`  passed only alone: ${unsteady.join('; ')}\n`);
  isFailed ||= code !== 0;
}
process.exitCode = isFailed ? 1 : 0;

/**
 * The program of a version, fetched once. It lies in the checkout, because tests that root runs start it as another user, who cannot
 * look into the home of root. @param {string} version @returns {Promise<string>}
 */
async function nodeOf(version) {
  const folder = join(REPOSITORY, 'node_modules', '.cache', 'nodes', version);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const file = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const install = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`];
  const { code, output } = await runCommand('npm', install, { cwd: folder });
  if (code !== 0 || !existsSync(file)) throw new Error(`npm could not fetch ${name}@${version}:\n${output}`);
  return file;
}
