/** A real kernel with the plugins, folders, services, settings and tools that a test names. */
import { join } from 'node:path';
import { type Folders, hostPlugin, type ProvidedService } from '@tenon/host';
import { createKernel, type Kernel, type PluginCandidate, settingsLayers, type Token } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type Tool, tools } from '@tenon/tools/api';
import { candidatesOf, type PluginSource } from './plugins.ts';

/** What a test's kernel consists of. */
export interface TestKernelOptions {
  readonly folders: Folders;
  readonly plugins?: readonly PluginSource[];
  /** Services of the test, also in place of the host's own. */
  readonly services?: readonly ProvidedService[];
  /** Settings by section, as a file of the user would give them. Needs the plugin `settings`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly tools?: Readonly<Record<string, Tool>>;
  /** Tokens of plugins that are not part of the test. */
  readonly defines?: readonly Token[];
}

/** All of Tenon's folders in one. */
export function foldersIn(home: string, cwd = home): Folders {
  return { config: home, data: home, state: home, cache: home, home, cwd };
}

/** Tenon's folders side by side in `base`. */
export function separateFolders(base: string, { home = join(base, 'home'), cwd = join(base, 'work') } = {}): Folders {
  const at = (name: string) => join(base, name);
  return { config: at('config'), data: at('data'), state: at('state'), cache: at('cache'), home, cwd };
}

/** A kernel with all of it installed; fails when the kernel has a complaint. */
export async function startKernel(options: TestKernelOptions): Promise<Kernel> {
  const { folders: places, plugins = [], services = [], settings, tools: toolkit, defines = [] } = options;
  const kernel = createKernel();
  kernel.install(
    hostPlugin({ kernel, version: '0.1.0', folders: places, services }),
    ...(defines.length > 0 ? [standIn(defines)] : []),
    ...(settings ? [settingsLayer(settings)] : []),
    ...(toolkit ? [toolsOfTest(toolkit)] : []),
    ...(await candidatesOf(plugins)),
  );
  const problems = kernel.diagnostics().map(({ error }) => error.message);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return kernel;
}

/** Unloads everything; fails when a plugin leaves a registration or a running handler behind. */
export async function endKernel(kernel: Kernel): Promise<void> {
  await kernel.dispose();
  const left = [...kernel.registrations(), ...kernel.pending()].map((entry) => JSON.stringify(entry));
  if (left.length > 0) throw new Error(`left behind after the kernel has ended:\n${left.join('\n')}`);
}

/** Stands in for plugins that are not there: defines their tokens. */
export function standIn(tokens: readonly Token[], id = 'tokens'): PluginCandidate {
  const idsOf = (kind: Token['kind']) => tokens.filter((token) => token.kind === kind).map((token) => token.id);
  const defines = { slots: idsOf('slot'), services: idsOf('service'), hooks: idsOf('hook') };
  return inlineCandidate({ id, defines: tokens, activate: () => undefined }, { defines });
}

/** Settings by section. */
export function settingsLayer(values: Readonly<Record<string, unknown>>, rank = 1): PluginCandidate {
  const layer = { name: 'test', rank, read: async () => ({ values, origin: 'test' }) };
  return inlineCandidate(
    { id: 'test-settings', activate: (ctx) => void ctx.contribute(settingsLayers, 'test', layer) },
    { contributes: { 'settings-layers': { test: {} } } },
  );
}

/** A tool for tests. */
export function tool(execute: Tool['execute'], parameters: Tool['parameters'] = { type: 'object' }): Tool {
  return { description: 'for a test', parameters, execute };
}

/** A tool for tests that runs the shell command of its input, as far as the gate can see. */
export function commandTool(execute: Tool['execute']): Tool {
  const touches: Tool['touches'] = ({ command }, { scope }) => ({
    commands: [{ text: String(command), cwd: scope?.cwd ?? process.cwd() }],
  });
  return { ...tool(execute), touches };
}

/** Contributes tools; `summary` and more come from `manifests`. */
export function toolsOfTest(
  toolkit: Readonly<Record<string, Tool>>,
  manifests: Readonly<Record<string, object>> = {},
): PluginCandidate {
  const names = Object.keys(toolkit);
  return inlineCandidate(
    {
      id: 'toolkit',
      activate: (ctx) => Object.entries(toolkit).forEach(([name, value]) => void ctx.contribute(tools, name, value)),
    },
    {
      contributes: { tools: Object.fromEntries(names.map((name) => [name, { summary: name, ...manifests[name] }])) },
    },
  );
}
