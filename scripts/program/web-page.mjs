/** Builds the page of the control room beside the program that serves it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeAtomically } from './output-folder.mjs';

const SOURCES = 'packages/plugins/modes/web/src/page';
const FOLDER = 'web-page';

/** @param {string} root @param {string} output the folder of the program */
export async function buildWebPage(root, output) {
  const source = join(root, SOURCES);
  // The small checkouts of the launcher's tests have no page.
  if (!existsSync(source)) return;
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(source, 'main.tsx')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'linked',
    outfile: 'app.js',
    write: false,
    logLevel: 'silent',
  });
  for (const { path, contents } of outputFiles) {
    const name = path.endsWith('.js') ? 'app.js' : 'LEGAL.txt';
    writeAtomically(join(output, FOLDER, name), contents);
  }
  for (const name of ['index.html', 'app.css', 'icon.svg'])
    writeAtomically(join(output, FOLDER, name), readFileSync(join(source, name)));
}
