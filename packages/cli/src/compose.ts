import { folders, type Folders, kernelView, type KernelView } from '@tenon/host';
import {
  createKernel,
  definePlugin,
  type Kernel,
  type Logger,
  type PluginCandidate,
  settingsEngine,
} from '@tenon/kernel';
import { settingsOverrides, type SettingsOverrides } from '@tenon/settings-files/api';
import { builtins } from '@tenon/sdk/composition';

/** What the program around the kernel gives to it. */
export interface Surroundings {
  readonly version: string;
  readonly log: Logger;
  readonly folders: Folders;
  readonly overrides: SettingsOverrides;
}

/** A kernel with all built-in plugins installed. None of their code has run. */
export function composeKernel(surroundings: Surroundings): Kernel {
  const kernel = createKernel({ log: surroundings.log });
  kernel.install(shellPlugin(kernel, surroundings), ...builtins);
  return kernel;
}

/** The program itself as a plugin: it provides what only it knows. */
function shellPlugin(kernel: Kernel, { version, folders: found, overrides }: Surroundings): PluginCandidate {
  const services = [folders, kernelView, settingsOverrides];
  const plugin = definePlugin({
    id: 'cli',
    activate(ctx) {
      ctx.provide(folders, found);
      ctx.provide(kernelView, viewOf(kernel, version, found));
      ctx.provide(settingsOverrides, overrides);
    },
  });
  return {
    manifest: {
      id: 'cli',
      version,
      kernel: '^1',
      description: 'The tenon command itself.',
      provides: services.map(({ id }) => id),
    },
    file: 'packages/cli/package.json',
    checked: true,
    load: () => Promise.resolve(plugin),
  };
}

/** The kernel as commands see it. The settings engine starts when it is asked for the first time. */
function viewOf(kernel: Kernel, version: string, found: Folders): KernelView {
  const engine = () => kernel.find(settingsEngine);
  return {
    version,
    folders: found,
    settings: {
      get: async (key) => (await engine()).get(key),
      list: async () => (await engine()).list(),
      load: async () => (await engine()).load(),
      set: async (key, value, options) => (await engine()).set(key, value, options),
      unset: async (key, options) => (await engine()).unset(key, options),
      layers: async () => (await engine()).layers(),
      schema: async () => (await engine()).schema(),
    },
    status: () => kernel.status(),
    registrations: (id) => kernel.registrations(id),
    pending: () => kernel.pending(),
    diagnostics: () => kernel.diagnostics(),
    install: (...candidates) => kernel.install(...candidates),
    uninstall: (id) => kernel.uninstall(id),
    discover: (context, signal) => kernel.discover(context, signal),
    activate: (id) => kernel.activate(id),
    unload: (id) => kernel.unload(id),
    reload: (id) => kernel.reload(id),
    read: (slot) => kernel.read(slot),
  };
}
