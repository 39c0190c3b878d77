import { type JsonSchema, type Kernel, service, type Settings, settingsEngine } from '@tenon/kernel';
import type { Folders } from './folders.ts';

/** The running kernel, for commands that show or manage it. */
export interface KernelView extends Pick<
  Kernel,
  | 'status'
  | 'registrations'
  | 'pending'
  | 'diagnostics'
  | 'install'
  | 'uninstall'
  | 'discover'
  | 'activate'
  | 'unload'
  | 'reload'
  | 'read'
> {
  /** Tenon's own version. */
  readonly version: string;
  readonly folders: Folders;
  /** The settings engine; it starts when one of these is called. */
  readonly settings: Omit<Settings, 'section' | 'watch' | 'schema'> & { schema(): Promise<JsonSchema> };
}

/** The running kernel. */
export const kernelView = service<KernelView>('kernel-view');

/** What commands see of a kernel. The settings engine starts on first use. */
export function viewOf(kernel: Kernel, version: string, folders: Folders): KernelView {
  const engine = () => kernel.find(settingsEngine);
  const { status, registrations, pending, diagnostics, install, uninstall, discover } = kernel;
  const { activate, unload, reload, read } = kernel;
  return {
    version,
    folders,
    settings: {
      get: async (key) => (await engine()).get(key),
      list: async () => (await engine()).list(),
      load: async () => (await engine()).load(),
      set: async (key, value, options) => (await engine()).set(key, value, options),
      unset: async (key, options) => (await engine()).unset(key, options),
      layers: async () => (await engine()).layers(),
      schema: async () => (await engine()).schema(),
    },
    ...{ status, registrations, pending, diagnostics, install, uninstall, discover, activate, unload, reload, read },
  };
}
