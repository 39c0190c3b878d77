/** Runs one bench module in this process and writes its result: `run-module.mjs MODULE OUTPUT CONTEXT`. */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { loadSource } from '../../scripts/load-source.mjs';
import { measureCall } from './measure.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** An implementation of one of our accelerators, from the sources. @param {string} name @param {string} [kind] */
async function load(name, kind) {
  const { loadAccelerator } = await loadSource(ROOT, "export { loadAccelerator } from './native/src/index.ts';");
  return loadAccelerator(name, kind);
}

const [module = '', output = '', context = '{}'] = process.argv.slice(2);
const { run } = await import(pathToFileURL(module).href);
const log = (/** @type {string} */ text) => process.stderr.write(`  ${text}\n`);
const options = JSON.parse(context);
const measure = (/** @type {() => unknown} */ work) => measureCall(work, options);
const result = await run({ ...options, load, log, measure });
writeFileSync(output, JSON.stringify(result));
// A bench may leave a worker or a server behind; the result is complete.
process.exit(0);
