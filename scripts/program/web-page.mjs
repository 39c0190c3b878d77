/** Builds the page of the control room beside the program that serves it. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { writeAtomically } from './output-folder.mjs';

const SOURCES = 'packages/plugins/modes/web/src/page';
const FOLDER = 'web-page';

/** Charts are a file of their own, which the page loads when it shows one. */
const chartsApart = {
  name: 'charts-apart',
  /** @param {import('esbuild').PluginBuild} build */
  setup({ onResolve }) {
    onResolve({ filter: /\/charts\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: '/charts.js', external: true } : undefined,
    );
  },
};

/** @param {string} root @param {string} output the folder of the program */
export async function buildWebPage(root, output) {
  const source = join(root, SOURCES);
  // The small checkouts of the launcher's tests have no page.
  if (!existsSync(source)) return;
  const { build } = await import('esbuild');
  const common = {
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'linked',
    write: false,
    logLevel: 'silent',
  };
  for (const [entry, outfile] of [
    ['main.tsx', 'app.js'],
    ['charts.ts', 'charts.js'],
  ]) {
    const { outputFiles } = await build({
      ...common,
      entryPoints: [join(source, entry)],
      outfile,
      plugins: [chartsApart],
    });
    for (const { path, contents } of outputFiles) {
      const name = path.endsWith('.js') ? outfile : `${outfile}.LEGAL.txt`;
      writeAtomically(join(output, FOLDER, name), contents);
    }
  }
  const require = createRequire(join(source, 'charts.ts'));
  const plotStyle = require.resolve('uplot/dist/uPlot.min.css');
  writeAtomically(join(output, FOLDER, 'charts.css'), readFileSync(plotStyle));
  for (const name of ['index.html', 'app.css', 'icon.svg'])
    writeAtomically(join(output, FOLDER, name), readFileSync(join(source, name)));
}
