/** The peers of the search benches, and taking turns with them. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { median } from './harness/measure.mjs';

const PACKAGES = [`@oh-my-pi/pi-natives-${process.platform}-${process.arch}@18.2`, 'tinyglobby@0.2', 'fzf@0.5'];
const require = createRequire(import.meta.url);
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** An implementation of one of our accelerators, from the sources. */
export async function load(name, kind) {
  const { loadAccelerator } = await loadSource(ROOT, "export { loadAccelerator } from './native/src/index.ts';");
  return loadAccelerator(name, kind);
}

/** Installs what is only needed for comparing, into the git-ignored work folder, once. */
export function ensurePeers(workDir, log) {
  if (
    existsSync(join(workDir, 'node_modules', '@oh-my-pi', `pi-natives-${process.platform}-${process.arch}`)) &&
    existsSync(join(workDir, 'node_modules', 'fzf'))
  )
    return;
  log(`installing peers into ${workDir}: ${PACKAGES.join(', ')}`);
  if (!existsSync(join(workDir, 'package.json'))) writeFileSync(join(workDir, 'package.json'), '{"private":true}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES];
  const { status } = spawnSync('npm', args, { cwd: workDir, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`installing the peers ended with ${status}`);
}

/** A peer package from the work folder. */
export function peerRequire(workDir) {
  return createRequire(join(workDir, 'package.json'));
}

/** The raw addon of oh-my-pi: its package needs Bun, but the addon itself loads in Node. */
export function piNatives(workDir) {
  const name = `@oh-my-pi/pi-natives-${process.platform}-${process.arch}`;
  const folder = join(workDir, 'node_modules', name);
  if (!existsSync(folder)) return undefined;
  const tag = `pi_natives.${process.platform}-${process.arch}`;
  const file = [`${tag}-modern.node`, `${tag}-baseline.node`, `${tag}.node`]
    .map((each) => join(folder, each))
    .find(existsSync);
  return file === undefined ? undefined : require(file);
}

/** ripgrep from npm. */
export const ripgrep = require('@vscode/ripgrep').rgPath;

/** Runs a command to its end and keeps its output, as a caller would have to. */
export function command(file, args) {
  const { status, stdout, error } = spawnSync(file, args, { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] });
  if (error) throw error;
  if (status !== 0 && status !== 1) throw new Error(`${file} ended with ${status}`);
  return stdout;
}

/** Median milliseconds of each contender. They take turns, so that a slow moment of the machine hits all of them. */
export async function takeTurns(contenders, rounds) {
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(contenders)) {
      const started = performance.now();
      await work();
      if (round >= 0) times[name].push(performance.now() - started);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}
