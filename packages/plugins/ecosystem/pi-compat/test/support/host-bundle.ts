/** Bundles the program that runs extensions from its sources, once per test file, beside the checkout's node_modules. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { EXTERNAL } from '../../../../../../scripts/bundle.mjs';

const root = fileURLToPath(new URL('../../../../../../', import.meta.url));

/** Makes the bundle and lets the host of packs find it; the result removes it. */
export async function bundleRuntime(): Promise<() => void> {
  const parent = join(root, 'node_modules', '.cache', 'tenon-tests');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'pi-host-'));
  await build({
    entryPoints: [{ in: fileURLToPath(new URL('../../src/host-main.ts', import.meta.url)), out: 'pi-host' }],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['tenon-source'],
    external: EXTERNAL,
    banner: { js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);" },
    logLevel: 'silent',
  });
  process.env['TENON_PI_HOST'] = join(folder, 'pi-host.mjs');
  return () => {
    delete process.env['TENON_PI_HOST'];
    rmSync(folder, { recursive: true, force: true });
  };
}
