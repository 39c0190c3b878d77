/** Bundles a program of this folder from the sources, so that it runs in a process of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../../../../', import.meta.url));

/** The program's file and how to remove it. It stays inside the checkout, where native packages are found. */
export async function bundleChild(name: string): Promise<{ file: string; remove(): void }> {
  const parent = join(root, 'node_modules', '.cache', 'tenon-tests');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, `${name}-`));
  await build({
    entryPoints: [{ in: fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), out: name }],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['tenon-source'],
    external: ['libsql'],
    loader: { '.md': 'text' },
    banner: { js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);" },
    logLevel: 'silent',
  });
  return { file: join(folder, `${name}.mjs`), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
