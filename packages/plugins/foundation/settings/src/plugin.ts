import { dirname } from 'node:path';
import { folderTrust } from '@tenon/host';
import { definePlugin, installedPlugins, settingsChanged, settingsEngine, settingsLayers } from '@tenon/kernel';
import { SettingsStore } from './engine.ts';

/** Provides the settings engine over the layers that other plugins contribute. */
export default definePlugin({
  id: 'settings',
  needs: { installed: installedPlugins },
  activate(ctx) {
    const layers = ctx.read(settingsLayers);
    const store = new SettingsStore({
      manifests: () => ctx.needs.installed.manifests(),
      resolveLayers: async () => (await layers.resolveAll()).map(({ value }) => value),
      trusts: async ({ file }) => {
        // The settings of a project are in a folder of their own: `.tenon/settings.yml`.
        const trust = file === undefined ? undefined : await ctx.findOptional(folderTrust);
        return (await trust?.stateOf(dirname(dirname(file ?? '')))) === 'trusted';
      },
      report: (error, severity) => ctx.report(error, severity),
      onChange: (change) => void ctx.run(settingsChanged, change),
    });
    // A plugin that comes or goes may bring or take a layer.
    ctx.defer(() => void watching.dispose());
    const watching = layers.watch(() => store.forget());
    ctx.provide(settingsEngine, store);
  },
});
