/** A kernel with the real agent, sessions, tools, settings and URLs, and a model that plays a script. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { modelRegistry } from '@tenon/models/api';
import { endKernel, startKernel, type TestKernelOptions } from './kernel.ts';
import { type Script, type ScriptedModelsOptions, scriptedModels } from './scripted-models.ts';
import { later, temporaryFolder } from './temporary.ts';

/** What a world consists of beside the agent and what it needs. */
export interface WorldOptions extends Partial<Omit<TestKernelOptions, 'folders'>> {
  readonly script?: Script;
  readonly models?: ScriptedModelsOptions['models'];
  readonly home?: string;
  readonly cwd?: string;
}

/** A kernel, its folders, and the requests to the model. */
export async function createWorld(options: WorldOptions = {}) {
  const { script = [{ text: 'Hello.' }], models, home = temporaryFolder('world'), cwd = home, ...rest } = options;
  const { registry, requests } = scriptedModels(script, { ...(models && { models }) });
  const at = (name: string) => join(home, name);
  const kernel = await startKernel({
    ...rest,
    folders: { config: at('config'), data: at('data'), state: at('state'), cache: home, home, cwd },
    services: [[modelRegistry, registry], ...(options.services ?? [])],
    plugins: ['settings', 'tools', 'sessions', 'agent', 'urls', ...(options.plugins ?? [])],
  });
  later(() => endKernel(kernel));
  const remove = async () => {
    await endKernel(kernel);
    rmSync(home, { recursive: true, force: true });
  };
  return { kernel, home, cwd, requests, remove };
}
