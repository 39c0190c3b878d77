import type { Manifest } from './manifest.ts';
import { definePlugin, type PluginCandidate } from './plugin.ts';
import { installedPlugins } from './well-known.ts';

/** The version that manifests' `kernel` ranges are compared with. */
export const KERNEL_VERSION = '1.0.0';

/** The kernel's own section of the settings. */
const manifest: Manifest = {
  id: 'kernel',
  version: KERNEL_VERSION,
  kernel: '*',
  description: 'Joins the plugins.',
  provides: [installedPlugins.id],
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      prefer: {
        type: 'object',
        additionalProperties: { type: 'string' },
        default: {},
        description: 'Which plugin wins where two contribute the same key: "slot/key" -> plugin id.',
        'x-scope': 'user',
      },
    },
  },
};

/** The kernel as a plugin of itself: its settings, and what it tells other plugins. */
export function kernelPlugin(manifests: () => readonly Manifest[]): PluginCandidate {
  const plugin = definePlugin({
    id: 'kernel',
    activate(ctx) {
      ctx.provide(installedPlugins, { manifests });
    },
  });
  return { manifest, file: 'kernel', checked: true, load: () => Promise.resolve(plugin) };
}
