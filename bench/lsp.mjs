/**
 * What diagnostics inside the result of an edit cost: the tool `write` with a running server, beside the same `write` without them, after
 * which the same server is asked over a bare connection. A module with 330 lines that uses 30 others.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import { EXTERNAL } from '../scripts/program/modules.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ENTRY = join(ROOT, 'packages/plugins/senses/lsp/test/support/edit-times.ts');
const PLUGINS = 'settings tools urls sandbox trust file-tools search-tools syntax-tools command-line doctor lsp'.split(
  ' ',
);
const SERVERS = { typescript: 'tsc', pyright: 'pyright-langserver' };
/** How much longer than the server alone an edit may take. */
const TARGET = 1.2;

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  const parent = join(ROOT, 'node_modules/.cache/tenon-bench');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'lsp-'));
  try {
    await buildHost(folder);
    const rows = Object.entries(SERVERS).map(([kind, program]) => {
      const path = realpathSync(join(ROOT, 'node_modules/.bin', program));
      const args = [join(folder, 'edit-times.mjs'), kind, path, quick ? '5' : '21'];
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: ROOT });
      if (status !== 0) throw new Error(stderr);
      const { tool, server } = JSON.parse(stdout);
      log(`${kind}: ${tool.toFixed(1)} ms through the tool, ${server.toFixed(1)} ms by the edit and the server alone`);
      return {
        case: `edit with diagnostics, ${kind}`,
        ours: tool,
        peers: { 'the edit, then the server alone': server },
        ratio: server / tool,
        target: `at most ${TARGET}x the edit and the server alone`,
      };
    });
    return { name: 'lsp', title: 'Diagnostics inside the result of an edit', unit: 'ms', rows };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Node 20 runs no TypeScript: the host of the measurement is built, with the plugins that it starts by name. */
async function buildHost(folder) {
  const rows = PLUGINS.map((name) => `${JSON.stringify(name)}: () => import(${JSON.stringify(`@tenon/${name}`)})`);
  const contents = `const table = { ${rows.join(', ')} };
    export const importPlugin = async (name) => (await table[name]()).default;`;
  const table = {
    name: 'plugin-table',
    setup: ({ onLoad }) => onLoad({ filter: /\/plugin-code\.ts$/ }, () => ({ contents, resolveDir: ROOT })),
  };
  await build({
    entryPoints: { 'edit-times': ENTRY },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['tenon-source'],
    external: ['vitest', ...EXTERNAL],
    loader: { '.md': 'text', '.py': 'text', '.text': 'text' },
    banner: { js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);" },
    logLevel: 'error',
    plugins: [table],
  });
}
