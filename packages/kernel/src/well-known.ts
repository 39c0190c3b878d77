import type { Manifest } from './manifest.ts';
import type { PluginCandidate } from './plugin.ts';
import type { Settings, SettingsChange, SettingsLayer } from './settings.ts';
import { hook, service, slot, type Token } from './tokens.ts';

/** Installable plugins. Discoverers of packs add a source to it; `kernel.discover()` installs what they find. */
export const plugins = slot<PluginCandidate>('plugins');

/** Layers of settings (files, environment, flags), merged by rank. */
export const settingsLayers = slot<SettingsLayer>('settings-layers');

/** The settings engine. The kernel asks it for the configuration of each plugin that it starts. */
export const settingsEngine = service<Settings>('settings');

/** The manifests of the installed plugins, provided by the kernel itself. */
export const installedPlugins = service<{ manifests(): readonly Manifest[] }>('installed-plugins');

/** Runs after settings changed. */
export const settingsChanged = hook<'notify', SettingsChange>('settings.changed', 'notify');

/** Runs after a plugin started, stopped or failed. */
export const pluginState = hook<'notify', { readonly plugin: string; readonly state: string }>(
  'plugin.state',
  'notify',
);

/** The tokens that the kernel itself defines. */
export const kernelTokens: readonly Token[] = [
  plugins,
  settingsLayers,
  settingsEngine,
  installedPlugins,
  settingsChanged,
  pluginState,
];
