#!/usr/bin/env node
/** Whether every platform has its package, all of them of this version and from these sources: `node scripts/release/verify-addons.mjs FOLDER`. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { readJson, REPOSITORY } from '../workspace.mjs';
import { releaseVersion } from './identity.mjs';
import { addonHash } from './native-package.mjs';
import { PLATFORMS } from './platforms.mjs';

const folder = resolve(process.argv[2] ?? 'addons');
const version = releaseVersion(REPOSITORY);
const hash = addonHash(REPOSITORY);
const problems = PLATFORMS.flatMap(({ name }) => {
  const place = join(folder, `addon-${name}`);
  if (!existsSync(join(place, 'package.json'))) return [`${name}: no package`];
  const manifest = readJson(join(place, 'package.json'));
  const library = join(place, manifest.main);
  if (!existsSync(library)) return [`${name}: ${manifest.main} is missing`];
  return [
    ...(manifest.version === version ? [] : [`${name}: version ${manifest.version} instead of ${version}`]),
    // The hash is in the library as plain text, so that other platforms need not load it.
    ...(readFileSync(library, 'latin1').includes(hash) ? [] : [`${name}: built from other sources than ${hash}`]),
  ];
});
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
