/** A home and a project of files, and a kernel with discovery over them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Discovery, discovery } from '@tenon/discovery/api';
import type { Kernel } from '@tenon/kernel';
import { endKernel, startKernel as startWith } from './kernel.ts';
import { later, putFiles, temporaryFolder } from './temporary.ts';

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
  const root = temporaryFolder('discovery');
  const home = join(root, 'home');
  const project = join(root, 'project');
  const write = async (path: string, text: string | Uint8Array) =>
    putFiles(root, { [path]: typeof text === 'string' ? text.replaceAll('{root}', root) : text });
  for (const [path, text] of Object.entries(files)) await write(path, text);
  mkdirSync(join(project, '.git'), { recursive: true });
  const kernel = await startKernel(home, project, { discovery: values, ...sections });
  const dispose = () => endKernel(kernel);
  return { root, home, project, kernel, discovery: await kernel.find(discovery), write, dispose };
}

/** A kernel with discovery; `settings` are by section. */
export async function startKernel(
  home: string,
  cwd: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Kernel> {
  const config = join(home, '.config', 'tenon');
  const folders = { config, data: config, state: config, cache: join(home, '.cache', 'tenon'), home, cwd };
  const kernel = await startWith({ folders, settings, plugins: ['settings', 'discovery'] });
  later(() => endKernel(kernel));
  return kernel;
}
