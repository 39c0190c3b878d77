/** Writing generated files and checking the committed ones is the same work with another end. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @typedef {{ path: string, text: string }} GeneratedFile `path` is relative to the root */

/** The files whose content is not what the generator would write. @param {string} root @param {GeneratedFile[]} files */
export function outdated(root, files) {
  return files.filter(
    ({ path, text }) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
  );
}

/** Writes what differs, and nothing else, so that file times tell the truth. @param {string} root @param {GeneratedFile[]} files */
export function writeOutdated(root, files) {
  const changed = outdated(root, files);
  for (const { path, text } of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return changed.map(({ path }) => path);
}

/**
 * The main program of a generator: writes, or with `--check` only tells.
 * @param {string} root @param {string} command @param {() => Promise<GeneratedFile[]>} generate
 */
export async function runGenerator(root, command, generate) {
  const files = await generate();
  if (process.argv.includes('--check')) {
    const stale = outdated(root, files).map(({ path }) => path);
    if (stale.length === 0) return;
    process.stderr.write(`not up to date: ${stale.join(', ')}\nRun: ${command}\n`);
    process.exitCode = 1;
    return;
  }
  for (const path of writeOutdated(root, files)) process.stderr.write(`wrote ${path}\n`);
}
