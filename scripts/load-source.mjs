/** Lets scripts, which are plain JavaScript, use the TypeScript sources: esbuild joins what they import, and the result runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { EXTERNAL } from './build-program.mjs';

/**
 * Runs `code` (an ES module that may import TypeScript by paths from the root) and gives its exports.
 * @param {string} root @param {string} code @returns {Promise<Record<string, any>>}
 */
export async function loadSource(root, code) {
  const { build } = await import('esbuild');
  // Inside the checkout, so that packages which stay outside of the built file, and the addon, are found.
  mkdirSync(join(root, '.setup'), { recursive: true });
  const folder = mkdtempSync(join(root, '.setup', 'load-'));
  try {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: root, loader: 'ts' },
      absWorkingDir: root,
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      conditions: ['tenon-source'],
      packages: 'bundle',
      external: EXTERNAL,
      loader: { '.md': 'text', '.py': 'text', '.text': 'text' },
      banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
      logLevel: 'silent',
    });
    const file = join(folder, 'source.mjs');
    writeFileSync(file, outputFiles[0]?.text ?? '');
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
