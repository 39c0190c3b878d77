/** Builds programs from their sources, for tests that run them in a process of their own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { EXTERNAL } from '../../../scripts/program/modules.mjs';
import { inCheckout, packageFolder } from './plugins.ts';
import { later } from './temporary.ts';

/** How a program differs from others. */
export interface ProgramOptions extends Pick<BuildOptions, 'define' | 'banner'> {
  readonly name?: string;
  /** The built-in plugins that the program starts by name. */
  readonly plugins?: readonly string[];
}

/** Builds a program; gives its file, which stands inside the checkout, where packages are found, and goes with the test file. */
export async function buildProgram(entry: string, options: ProgramOptions = {}): Promise<string> {
  const { name = basename(entry, '.ts'), plugins = [], ...more } = options;
  const parent = inCheckout('node_modules', '.cache', 'tenon-tests');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, `${name}-`));
  later(() => rmSync(folder, { recursive: true, force: true }));
  await build({
    entryPoints: { [name]: entry },
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
    logLevel: 'silent',
    plugins: [pluginTable(plugins)],
    ...more,
  });
  return join(folder, `${name}.mjs`);
}

/** Node alone cannot import the sources of plugins, so the built file takes in those that the program names. */
function pluginTable(names: readonly string[]): Plugin {
  const rows = names.map((name) => `${JSON.stringify(name)}: () => import(${JSON.stringify(`@tenon/${name}`)})`);
  const contents = `const table = { ${rows.join(', ')} };
    export const importPlugin = async (name) => (await table[name]()).default;`;
  return {
    name: 'plugin-table',
    setup: ({ onLoad }) => onLoad({ filter: /\/plugin-code\.ts$/ }, () => ({ contents, resolveDir: inCheckout() })),
  };
}

const VARIABLES = {
  'pack-host': 'TENON_PACK_HOST',
  'pi-compat': 'TENON_PI_HOST',
  'opencode-compat': 'TENON_OPENCODE_HOST',
} as const;

/** The program that runs packs, extensions of pi, or modules of OpenCode in a process of its own. */
export function buildHost(plugin: keyof typeof VARIABLES): Promise<string> {
  return buildProgram(join(packageFolder(plugin), 'src', 'host-main.ts'), { name: plugin });
}

/** Builds the program and lets Tenon find it, until the test file ends. */
export async function useBuiltHost(plugin: keyof typeof VARIABLES): Promise<void> {
  process.env[VARIABLES[plugin]] = await buildHost(plugin);
  later(() => void delete process.env[VARIABLES[plugin]]);
}
