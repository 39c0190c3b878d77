import { definePlugin, type Kernel, type PluginCandidate, type Service } from '@tenon/kernel';
import { type Folders, folders } from './folders.ts';
import { kernelView, viewOf } from './kernel-view.ts';
import { type ExtensionFlags, extensionFlags } from './extension-flags.ts';
import { modeControl } from './mode-control.ts';
import { modeEnd } from './mode-end.ts';
import { InterfaceSwitch, userInterface } from './user-interface.ts';

/** A service and its value. */
export type ProvidedService = readonly [Service<unknown>, unknown];

/** What the program around a kernel knows. */
export interface HostOptions {
  readonly kernel: Kernel;
  /** Tenon's own version. */
  readonly version: string;
  readonly folders: Folders;
  /** More services of the program; one of the host's own is replaced. */
  readonly services?: readonly ProvidedService[];
}

/** The program around the kernel as a plugin: it defines and provides what only the program knows. */
export function hostPlugin({ kernel, version, folders: paths, services = [] }: HostOptions): PluginCandidate {
  const ui = new InterfaceSwitch();
  let flags: ExtensionFlags | undefined;
  let end: (() => void) | undefined;
  const defines = [folders, kernelView, userInterface, extensionFlags, modeControl, modeEnd];
  const provided = new Map<Service<unknown>, unknown>([
    [folders, paths],
    [kernelView, viewOf(kernel, version, paths)],
    [userInterface, ui],
    [extensionFlags, { current: () => flags }],
    [
      modeControl,
      {
        useInterface: ui.use.bind(ui),
        setFlags: (current: ExtensionFlags) => (flags = current),
        onEnd: (current: typeof end) => (end = current),
      },
    ],
    [modeEnd, { request: () => end?.() }],
    ...services,
  ]);
  const plugin = definePlugin({
    id: 'host',
    defines,
    activate: (ctx) => provided.forEach((value, token) => void ctx.provide(token, value)),
  });
  return {
    manifest: {
      id: 'host',
      version,
      kernel: '^1',
      description: 'The program that Tenon runs in.',
      provides: [...provided.keys()].map(({ id }) => id),
      defines: { services: defines.map(({ id }) => id) },
    },
    file: 'packages/host/package.json',
    checked: true,
    load: () => Promise.resolve(plugin),
  };
}
