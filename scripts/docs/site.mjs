#!/usr/bin/env node
/**
 * The documentation as a site: `npm run docs` builds it into site/dist and checks every link and picture of what was built,
 * `npm run docs:dev` serves it while you write. Its packages are installed on first use, from a lock file of their own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ensurePackages } from '../setup/packages.mjs';
import { createProgress } from '../setup/progress.mjs';
import { REPOSITORY } from '../workspace.mjs';
import { siteProblems } from './site-check.mjs';

const SITE = join(REPOSITORY, 'site');

/** Installs what is missing and runs VitePress. @param {readonly string[]} words @param {{ stdio?: import('node:child_process').StdioOptions }} [options] @returns {Promise<{ code: number | null, output: string }>} */
export async function vitepress(words, { stdio = ['ignore', 'pipe', 'pipe'] } = {}) {
  await ensurePackages(SITE, createProgress(), { development: true });
  const program = join(SITE, 'node_modules/vitepress/bin/vitepress.js');
  const child = spawn(process.execPath, [program, ...words], { cwd: SITE, stdio });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, output };
}

/** Builds the site. @param {string} [folder] @returns {Promise<string[]>} what is wrong with it */
export async function buildSite(folder = join(SITE, 'dist')) {
  const { code, output } = await vitepress(['build', '.', '--outDir', folder]);
  return code === 0
    ? siteProblems(folder, process.env.TENON_SITE_BASE)
    : [`VitePress ended with ${code}:\n${output.trim()}`];
}

async function main() {
  if (process.argv[2] === 'dev') {
    process.exitCode = (await vitepress(['dev', '.', ...process.argv.slice(3)], { stdio: 'inherit' })).code ?? 1;
    return;
  }
  const problems = await buildSite();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length === 0) process.stdout.write(`${join(SITE, 'dist')}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
