import { createRequire } from 'node:module';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Folders, folders, kernelView } from '@tenon/host';
import {
  createKernel,
  type Kernel,
  type Plugin,
  type Service,
  type SettingsLayer,
  settingsLayers,
} from '@tenon/kernel';
import { candidateFrom, inlineCandidate, type PluginPackage, provideServices } from '@tenon/kernel/testing';
import settings from '@tenon/settings';
import { type Discovery, discovery } from '../src/api.ts';
import discoveryPlugin from '../src/plugin.ts';

/** Discovery as it is installed, and the engine of settings. */
const PLUGINS: Readonly<Record<string, Plugin>> = { settings, discovery: discoveryPlugin };

const MOVED = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'PI_CODING_AGENT_DIR', 'XDG_CONFIG_HOME'];

/** A home, a project, and a kernel with all families. */
export interface Fixture {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly kernel: Kernel;
  readonly discovery: Discovery;
  write(path: string, text: string | Uint8Array): Promise<void>;
  dispose(): Promise<void>;
}

/** Makes a fixture of files; `values` is the section `discovery`, `sections` are others. */
export async function makeFixture(
  files: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>> = {},
  sections: Readonly<Record<string, unknown>> = {},
): Promise<Fixture> {
  for (const name of MOVED) delete process.env[name];
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tenon-discovery-')));
  const home = join(root, 'home');
  const project = join(root, 'project');
  const write = async (path: string, text: string | Uint8Array) => {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof text === 'string' ? text.replaceAll('{root}', root) : text);
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  await mkdir(join(project, '.git'), { recursive: true });
  const kernel = await startKernel(home, project, { discovery: values, ...sections });
  return {
    root,
    home,
    project,
    kernel,
    discovery: await kernel.find(discovery),
    write,
    async dispose() {
      await kernel.dispose();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** A kernel with discovery; `values` are the settings by section. */
export async function startKernel(
  home: string,
  cwd: string,
  values: Readonly<Record<string, unknown>> = {},
): Promise<Kernel> {
  const config = join(home, '.config', 'tenon');
  const places: Folders = { config, data: config, state: config, cache: join(home, '.cache', 'tenon'), home, cwd };
  const kernel = createKernel();
  const view = { registrations: () => kernel.registrations() };
  kernel.install(
    provideServices([
      [folders as Service<unknown>, places],
      [kernelView as Service<unknown>, view],
    ]),
  );
  for (const [name, plugin] of Object.entries(PLUGINS)) {
    const file = createRequire(import.meta.url).resolve(`@tenon/${name}/package.json`);
    kernel.install(await candidateFrom(JSON.parse(await readFile(file, 'utf8')) as PluginPackage, plugin, file));
  }
  const layer: SettingsLayer = { name: 'test', rank: 1, read: () => Promise.resolve({ values, origin: 'test' }) };
  kernel.install(
    inlineCandidate(
      { id: 'test-layer', activate: (ctx) => void ctx.contribute(settingsLayers, 'test', layer) },
      { contributes: { 'settings-layers': { test: {} } } },
    ),
  );
  return kernel;
}
