#!/usr/bin/env node
/**
 * Builds the command line and the hosts of packs into packages/cli/dist, and the same code with the SDK's entries into
 * packages/sdk/dist. One build serves both folders: they share their chunks. The compiler adds what programs outside of
 * this repository compile against; where only the program's own packages are installed there is none, and no SDK.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildModules } from './program/modules.mjs';
import { buildWebPage } from './program/web-page.mjs';
import { copyDocs, describeModules, writeModules } from './program/output-folder.mjs';
import { QUICK_LOADER, quickProgram } from './program/quick-program.mjs';
import { SDK_ENTRIES, SDK_OUTPUT, writeSdkPackage } from './program/sdk-package.mjs';
import { compileFakes, writeSdkTypes } from './program/sdk-types.mjs';

export { EXTERNAL } from './program/modules.mjs';

const REPOSITORY = dirname(dirname(fileURLToPath(import.meta.url)));
const OUTPUT = 'packages/cli/dist';

/** The command line and the processes that it starts -> source, from the repository's root. */
export const PROGRAMS = {
  main: 'packages/cli/src/main.ts',
  'pack-host': 'packages/plugins/ecosystem/pack-host/src/host-main.ts',
  'pi-host': 'packages/plugins/ecosystem/pi-compat/src/host-main.ts',
  'opencode-host': 'packages/plugins/ecosystem/opencode-compat/src/host-main.ts',
};

/**
 * @param {{ root?: string }} [options]
 * @returns {Promise<Record<string, import('./program/output-folder.mjs').Description>>} what was written, by folder
 */
export async function buildProgram({ root = REPOSITORY } = {}) {
  // The small checkouts of the launcher's tests have only some of them.
  const hasCompiler = existsSync(join(root, 'node_modules', '.bin', 'tsc'));
  const present = Object.entries({ ...PROGRAMS, ...(hasCompiler ? SDK_ENTRIES : {}) }).filter(([, source]) =>
    existsSync(join(root, source)),
  );
  const entries = Object.fromEntries(present);
  const withSdk = 'index' in entries;
  const types = withSdk ? [writeSdkTypes(root), compileFakes(root)] : [];
  // Waits for all, so that a failure leaves nothing running; esbuild locates a mistake best.
  const [built, ...compiled] = await Promise.allSettled([buildModules(root, entries), ...types]);
  const failed = [built, ...compiled].find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  const modules = built.value;
  const programs = Object.keys(PROGRAMS)
    .filter((name) => name in entries)
    .map((name) => `${name}.js`);
  const written = { [OUTPUT]: await writeCommandLine(root, modules, programs) };
  if (withSdk) written[SDK_OUTPUT] = writeSdkPackage(root, modules, programs);
  return written;
}

async function writeCommandLine(root, modules, programs) {
  const output = join(root, OUTPUT);
  const names = modules.reachable(programs);
  // Where the loader is missing the program loads as ES modules.
  const quick = existsSync(join(root, QUICK_LOADER)) ? await quickProgram(root, modules) : [];
  const replaced = new Set(quick.map(({ name }) => name));
  const plain = names
    .filter((name) => !replaced.has(name))
    .map((name) => ({ name, contents: modules.texts.get(name) ?? '' }));
  const description = describeModules(modules, names);
  writeModules(output, [...plain, ...quick], description);
  copyDocs(root, output);
  await buildWebPage(root, output);
  return description;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    for (const [folder, { files, entries }] of Object.entries(await buildProgram())) {
      const sizes = Object.entries(entries).map(([entry, { bytes }]) => `${entry}.js ${(bytes / 1024).toFixed(1)} kB`);
      process.stderr.write(`wrote ${files.length} files to ${folder}: ${sizes.join(', ')}\n`);
    }
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
