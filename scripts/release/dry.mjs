#!/usr/bin/env node
/**
 * A release without publishing: makes all packages, checks them, publishes them to a registry on this machine, and installs and uses them
 * from there. `npm run release:dry`; with `--keep` the folder stays, with `--pack FOLDER` the archives are made and nothing else happens.
 */
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { setUp } from '../setup.mjs';
import { readJson, REPOSITORY } from '../workspace.mjs';
import { megabytes, putJson, sizeOf } from './files.mjs';
import { releaseVersion } from './identity.mjs';
import { packAll } from './pack.mjs';
import { PLATFORMS } from './platforms.mjs';
import { releaseTools, startRegistry } from './registry.mjs';
import { mustRun, run } from './run.mjs';
import { stageRelease } from './stage.mjs';
import { tryAuthors, tryProgram, tryUpdate } from './trial.mjs';

const say = (line) => process.stdout.write(`${line}\n`);
const problems = [];
const check = (what, holds, more = '') => {
  say(`  ${holds ? 'ok ' : 'NOT'} ${what}${more !== '' && (!holds || more.length < 90) ? `: ${more.trim()}` : ''}`);
  if (!holds) problems.push(what);
};

const packInto = process.argv[process.argv.indexOf('--pack') + 1];
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-release-')));
try {
  if (!process.env.TENON_SKIP_SETUP) await setUp({ root: REPOSITORY });
  if (process.argv.includes('--pack')) await packOnly(resolve(packInto ?? ''));
  else await rehearse();
} finally {
  if (process.argv.includes('--keep')) say(`kept: ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
if (problems.length > 0) {
  say(`\n${problems.length} of the checks failed:`);
  for (const problem of problems) say(`  ${problem}`);
  process.exitCode = 1;
}

async function packOnly(into) {
  const staged = await stage();
  for (const { file, bytes } of await packAll(staged.packages, into)) say(`  ${file} ${megabytes(bytes)}`);
}

async function stage() {
  say('packages:');
  const staged = await stageRelease(REPOSITORY, join(folder, 'staged'), { say: (name) => say(`  ${name}`) });
  for (const problem of staged.problems) check(problem, false);
  check('nothing of the workspace leaks, licences are known, manifests are complete', staged.problems.length === 0);
  if (!staged.addon) say('  the addon of the present sources is not built here: the twins are tried');
  say(`  built elsewhere, by the release workflow: ${PLATFORMS.map(({ name }) => name).join(', ')}`);
  return staged;
}

async function rehearse() {
  const root = REPOSITORY;
  const version = releaseVersion(root);
  const staged = await stage();
  const tools = await releaseTools(root);
  say('publint:');
  for (const { name, folder: made } of staged.packages) {
    const { code, out, err } = await run(
      [process.execPath, join(tools, 'publint/src/cli.js'), 'run', made, '--strict'],
      { cwd: folder },
    );
    check(name, code === 0, code === 0 ? '' : out + err);
  }
  const packed = await packAll(staged.packages, join(folder, 'packed'));
  say('archives:');
  packed.forEach(({ name, bytes }, index) =>
    say(`  ${name}: ${megabytes(bytes)} packed, ${megabytes(sizeOf(staged.packages[index].folder))} on disk`),
  );
  const registry = await startRegistry({ root, tools, folder: join(folder, 'registry') });
  try {
    const archive = packed.find(({ name }) => name === 'tenon-agent')?.file ?? '';
    const trial = { root, folder, config: registry.config, version, archive, addon: staged.addon, say, check };
    await publish(packed, registry);
    say('the program:');
    await tryProgram(trial);
    say('programs and packs of others:');
    await tryAuthors(trial);
    say('update:');
    const next = await publishNext(staged, registry, version);
    await tryUpdate(trial, next);
  } finally {
    await registry.close();
  }
}

async function publish(packed, { config }) {
  for (const { file } of packed) {
    // Only the workflow can prove where a package comes from.
    const words = ['publish', file, '--provenance=false', '--ignore-scripts', '--loglevel=error'];
    await mustRun(['npm', ...words], { cwd: folder, env: { ...process.env, npm_config_userconfig: config } });
  }
}

/** The same program under the next version, with a changelog of its own. */
async function publishNext(staged, registry, version) {
  const next = version.replace(/\d+$/, (patch) => String(Number(patch) + 1));
  const wanted = staged.packages.filter(({ name }) => ['tenon-agent', 'native'].includes(name));
  const copies = wanted.map(({ name, folder: made }) => {
    const copy = join(folder, 'next', name);
    cpSync(made, copy, { recursive: true });
    const manifest = readJson(join(copy, 'package.json'));
    const bump = (list) =>
      Object.fromEntries(
        Object.entries(list ?? {}).map(([key, range]) => [key, key.startsWith('@tenon/') ? next : range]),
      );
    putJson(join(copy, 'package.json'), {
      ...manifest,
      version: next,
      optionalDependencies: bump(manifest.optionalDependencies),
    });
    if (name === 'tenon-agent') {
      const main = join(copy, 'dist/main.cjs');
      writeFileSync(main, readFileSync(main, 'utf8').replaceAll(version, next));
      putJson(join(copy, 'native/package.json'), { ...readJson(join(copy, 'native/package.json')), version: next });
      writeFileSync(
        join(copy, 'CHANGELOG.md'),
        `# Changelog\n\n## ${next}\n\n- A rehearsal.\n\n## ${version}\n\n- Before.\n`,
      );
    }
    return { name, folder: copy };
  });
  await publish(await packAll(copies, join(folder, 'packed')), registry);
  return next;
}
