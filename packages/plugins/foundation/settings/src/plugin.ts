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
      report: (error, severity) => ctx.report(error, severity),
      onChange: (change) => void ctx.run(settingsChanged, change),
    });
    // A plugin that comes or goes may bring or take a layer.
    ctx.defer(() => void watching.dispose());
    const watching = layers.watch(() => store.forget());
    ctx.provide(settingsEngine, store);
  },
});
