#!/usr/bin/env node
/**
 * Runs the comparisons of this folder and writes their data, plots and the table in docs/reference/benchmarks.md.
 *
 *   npm run bench                      all of them
 *   npm run bench -- startup glob      these
 *   npm run bench -- --quick           fewer repetitions, nothing written: to see whether a bench works
 *
 * A bench is a module beside this one that exports `async function run(ctx)`; ctx is { corpusDir, workDir,
 * quick, log, load, measure }: load(name, kind) gives an implementation of an accelerator, measure(fn) the median
 * milliseconds of one call.
 * It gives one result or a list of them: { name, title, unit, rows: [{ case, ours, peers: { name: number }, ratio, target? }] },
 * medians of one run in which ours and the peers took turns. Each module runs in a process of its own.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { ensureCorpus } from './harness/corpus.mjs';
import { describeMachine } from './harness/machine.mjs';
import { checkResult, normalizeResult, writeReport } from './harness/report.mjs';
import { setUp } from '../scripts/setup.mjs';
import { plot } from './plot.mjs';

const BENCH = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(BENCH);
const RESULTS = join(BENCH, 'results');
const WORK = join(BENCH, '.work');
const HARNESS = new Set(['run.mjs', 'plot.mjs']);

const log = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);

async function main() {
  const { values, positionals } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, report: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  mkdirSync(WORK, { recursive: true });
  mkdirSync(RESULTS, { recursive: true });
  if (values.report) return writeReport(ROOT); // Only the page and the plots, from the data that is there.

  // What is measured is what the sources say now, with the packages of all peers.
  await setUp();
  const failed = [];
  for (const module of chooseModules(positionals)) {
    log(`\n== ${basename(module, '.mjs')}`);
    try {
      const results = await runModule(module, values.quick);
      for (const raw of results) {
        const result = normalizeResult(raw, basename(module, '.mjs'));
        checkResult(result);
        printResult(result);
        if (!values.quick) saveResult(result);
      }
    } catch (error) {
      log(`failed: ${error.message}`);
      failed.push(basename(module, '.mjs'));
    }
  }
  if (!values.quick) writeReport(ROOT);
  if (failed.length > 0) {
    log(`\nfailed: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}

function chooseModules(names) {
  const all = readdirSync(BENCH).filter((name) => name.endsWith('.mjs') && !HARNESS.has(name));
  const unknown = names.filter((name) => !all.includes(`${name}.mjs`));
  if (unknown.length > 0) {
    throw new Error(
      `no bench named ${unknown.join(', ')}; there are: ${all.map((name) => basename(name, '.mjs')).join(', ')}`,
    );
  }
  const chosen = names.length > 0 ? names.map((name) => `${name}.mjs`) : all;
  return chosen
    .map((name) => join(BENCH, name))
    .filter((path) => /export (?:async )?function run\b/.test(readFileSync(path, 'utf8')));
}

async function runModule(module, quick) {
  const usesCorpus = readFileSync(module, 'utf8').includes('corpusDir');
  const corpusDir = join(WORK, 'corpus');
  if (usesCorpus) await ensureCorpus(corpusDir, log);
  const folder = mkdtempSync(join(WORK, 'run-'));
  const output = join(folder, 'result.json');
  try {
    const ctx = { corpusDir, workDir: WORK, quick };
    const code = await runNode([join(BENCH, 'harness/run-module.mjs'), module, output, JSON.stringify(ctx)]);
    if (code !== 0 || !existsSync(output)) throw new Error(`${basename(module)} ended with ${code}`);
    const result = JSON.parse(readFileSync(output, 'utf8'));
    return Array.isArray(result) ? result : [result];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runNode(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', resolve);
  });
}

function saveResult(result) {
  const data = { ...result, machine: describeMachine(), date: new Date().toISOString().slice(0, 10) };
  writeFileSync(join(RESULTS, `${result.name}.json`), `${JSON.stringify(data, null, 2)}\n`);
  writeFileSync(join(RESULTS, `${result.name}.svg`), plot(data));
}

function printResult({ title, name, unit, rows }) {
  log(`${title ?? name} (${unit})`);
  for (const row of rows) {
    const peers = Object.entries(row.peers).map(([peer, value]) => `${peer} ${round(value)}`);
    const target = row.target === undefined ? '' : `, target ${row.target}`;
    log(`  ${row.case}: ${round(row.ours)}; ${peers.join(', ')}; ratio ${round(row.ratio)}${target}`);
  }
}

function round(value) {
  return Number(value.toPrecision(3)).toString();
}

await main().catch((error) => {
  log(error.message);
  process.exitCode = 1;
});
