/**
 * Runs the command line from a checkout. When nothing changed since the last run this only compares file times and
 * imports the program; otherwise set-up runs first, with its progress on stderr so that stdout stays the command's.
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { PROGRAM_FILE, staleParts } from './freshness.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = `${root}/${PROGRAM_FILE}`;

if (!process.env.TENON_SKIP_SETUP && staleParts(root).length > 0) {
  const { setUpForLaunch } = await import('./setup.mjs');
  const exitCode = await setUpForLaunch(root);
  if (exitCode !== 0) process.exit(exitCode);
}

if (existsSync(program)) {
  await import(pathToFileURL(program).href);
} else {
  process.stderr.write(`tenon: ${program} is missing.\nRun \`npm run setup\` in ${root} (TENON_SKIP_SETUP is set).\n`);
  process.exitCode = 78;
}
