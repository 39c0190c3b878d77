#!/usr/bin/env node
/**
 * `npm run fuzz [-- SECONDS]`: runs every fuzz target for a while. The targets are built with coverage instrumentation by the
 * stable compiler, so that neither cargo-fuzz nor a nightly toolchain has to be installed.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cargoTarget } from './run-cargo-tests.mjs';
import { runCommand } from './setup/run-command.mjs';
import { REPOSITORY } from './workspace.mjs';

/** What libFuzzer needs to see which branches an input takes. */
const INSTRUMENTATION = [
  '--cfg fuzzing',
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cdebug-assertions',
  '-Ccodegen-units=1',
].join(' ');

/** Builds and runs all targets, `seconds` each. Gives how many found nothing and what the others found. */
export async function fuzz(root, { seconds, say }) {
  const result = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };
  const folder = join(root, 'fuzz');
  const target = join(cargoTarget(root), 'fuzz');
  // With an explicit target the flags do not reach build scripts, which could not link with them.
  const triple = (await runCommand('rustc', ['-vV'])).output.match(/host: (\S+)/)?.[1] ?? '';
  const build = [
    'build',
    '--release',
    '--all-features',
    '--bins',
    '--target',
    triple,
    '--manifest-path',
    join(folder, 'Cargo.toml'),
  ];
  const built = await runCommand('cargo', build, {
    env: { ...process.env, RUSTFLAGS: INSTRUMENTATION, CARGO_TARGET_DIR: target },
  });
  if (built.code !== 0)
    return { ...result, failed: 1, failures: [`the fuzz targets do not build:\n${tail(built.output)}`] };
  const names = readdirSync(join(folder, 'fuzz_targets')).map((name) => name.replace(/\.rs$/, ''));
  for (const name of names) {
    const scratch = mkdtempSync(join(tmpdir(), 'tenon-fuzz-'));
    const corpus = join(scratch, 'corpus');
    mkdirSync(corpus);
    const flags = [
      `-max_total_time=${seconds}`,
      '-timeout=10',
      '-rss_limit_mb=1024',
      `-artifact_prefix=${scratch}/found-`,
      '-print_final_stats=1',
    ];
    const { code, output } = await runCommand(join(target, triple, 'release', name), [...flags, corpus]);
    const runs = output.match(/number_of_executed_units:\s*(\d+)/)?.[1] ?? '0';
    say(`  ${name}: ${runs} inputs in ${seconds} s, ${code === 0 ? 'nothing found' : 'FOUND something'}`);
    result[code === 0 ? 'passed' : 'failed'] += 1;
    if (code !== 0) result.failures.push(`fuzz target ${name}: ${tail(output)}\n${foundInputs(scratch)}`);
    rmSync(scratch, { recursive: true, force: true });
  }
  return result;
}

/** The inputs that broke something, as base64, to be made into a unit test. */
function foundInputs(scratch) {
  return readdirSync(scratch)
    .filter((name) => name.startsWith('found-'))
    .map((name) => `${name}: ${readFileSync(join(scratch, name)).toString('base64')}`)
    .join('\n');
}

function tail(text) {
  return text.trimEnd().split('\n').slice(-25).join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const say = (line) => process.stdout.write(`${line}\n`);
  const { passed, failed, failures } = await fuzz(REPOSITORY, { seconds: Number(process.argv[2] ?? 60), say });
  for (const failure of failures) say(failure);
  say(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
