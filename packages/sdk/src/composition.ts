/** One kernel for the command line and for programs that embed Tenon. */
import { type Folders, hostPlugin, type ProvidedService } from '@tenon/host';
import { createKernel, type Kernel, type Logger, type PluginCandidate } from '@tenon/kernel';
import { type SettingsOverrides, settingsOverrides } from '@tenon/settings-files/api';
import { builtins } from './generated/builtins.ts';

/** What the program around the kernel gives to it. */
export interface Composition {
  readonly version: string;
  readonly folders: Folders;
  readonly overrides: SettingsOverrides;
  readonly log?: Logger;
  /** Services of the program; a built-in plugin that provides one of them is left out. */
  readonly services?: readonly ProvidedService[];
  /** Plugins of the program. */
  readonly plugins?: readonly PluginCandidate[];
}

/** A kernel with all built-in plugins installed. None of their code has run. */
export function composeKernel(composition: Composition): Kernel {
  const { version, folders, overrides, log, services = [], plugins = [] } = composition;
  const kernel = createKernel(log ? { log } : {});
  const replaced = new Set(services.map(([{ id }]) => id));
  const ours = builtins.filter(({ manifest }) => !manifest.provides?.some((id) => replaced.has(id)));
  const host = hostPlugin({ kernel, version, folders, services: [[settingsOverrides, overrides], ...services] });
  kernel.install(host, ...ours, ...plugins);
  return kernel;
}
