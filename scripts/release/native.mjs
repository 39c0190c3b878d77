#!/usr/bin/env node
/** Makes the package of one platform's addon from the one that was built here: `node scripts/release/native.mjs linux-x64-gnu FOLDER`. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';

import { REPOSITORY } from '../workspace.mjs';
import { packageProblems } from './check-package.mjs';
import { builtAddon, makeNativePackage } from './native-package.mjs';
import { PLATFORMS } from './platforms.mjs';

const [name = '', folder = ''] = process.argv.slice(2);
const platform = PLATFORMS.find((entry) => entry.name === name);
const addon = builtAddon(REPOSITORY);
if (!platform || folder === '')
  fail(`usage: native.mjs PLATFORM FOLDER; platforms: ${PLATFORMS.map((entry) => entry.name).join(', ')}`);
else if (!addon) fail('there is no addon of the present sources: run `node scripts/build-native.mjs`');
else {
  const output = resolve(folder);
  mkdirSync(output, { recursive: true });
  const { problems } = makeNativePackage(REPOSITORY, output, platform, addon);
  for (const problem of [...problems, ...packageProblems(output, { root: REPOSITORY })]) fail(problem);
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
