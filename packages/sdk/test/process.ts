/** Builds a Tenon whose model is scripted, as a program that other processes can start. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '../../..');

/** Our plugins go inside, as they do in the shipped program: their prompts are text, which Node alone cannot import. */
const isOurs = (name: string) => name.startsWith('@tenon/') && name !== '@tenon/native';

/** Builds `entry`; gives the program and how to remove it. */
export async function buildProgram(entry: string): Promise<{ program: string; remove(): void }> {
  // Inside node_modules, so that what stays outside of the program is found.
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.tenon-sdk-test-'));
  await build({
    entryPoints: { program: entry },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['tenon-source'],
    loader: { '.md': 'text', '.py': 'text', '.text': 'text' },
    outExtension: { '.js': '.mjs' },
    logLevel: 'silent',
    plugins: [
      {
        name: 'ours-inside',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
            const name = path
              .split('/')
              .slice(0, path.startsWith('@') ? 2 : 1)
              .join('/');
            return kind === 'entry-point' || isOurs(name) ? undefined : { path, external: true };
          }),
      },
    ],
  });
  return { program: join(folder, 'program.mjs'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
