import { cliCommands } from '@tenon/command-line/api';
import { folders, kernelView } from '@tenon/host';
import { definePlugin, installedPlugins, settingsLayers } from '@tenon/kernel';
import { settingsOverrides } from './api.ts';
import type { ConfigParts } from './commands.ts';
import { environmentLayer, fileLayer, flagsLayer, refuseUserOnly } from './layers.ts';
import { projectSettings, settingsIn } from './locations.ts';
import { PRIVATE, SHARED } from './settings-file.ts';

/** Settings from files, the environment and flags, and the `config` commands. */
export default definePlugin({
  id: 'settings-files',
  defines: [settingsOverrides],
  needs: { folders, kernel: kernelView, installed: installedPlugins, overrides: settingsOverrides },
  activate(ctx) {
    const { folders, kernel, installed, overrides } = ctx.needs;
    const manifests = () => installed.manifests();
    const locations = { global: () => settingsIn(folders.config), project: () => projectSettings(folders.cwd) };

    ctx.contribute(settingsLayers, 'global', fileLayer({ name: 'global', location: locations.global, modes: PRIVATE }));
    ctx.contribute(
      settingsLayers,
      'project',
      fileLayer({
        name: 'project',
        location: locations.project,
        modes: SHARED,
        check: (edits, file) => refuseUserOnly(edits, manifests(), file),
      }),
    );
    ctx.contribute(
      settingsLayers,
      'environment',
      environmentLayer(overrides.environment, manifests, overrides.isByAgent),
    );
    ctx.contribute(settingsLayers, 'flags', flagsLayer(overrides.assignments, manifests));

    const parts: ConfigParts = { settings: kernel.settings, manifests, locations, environment: overrides.environment };
    for (const name of ['list', 'get', 'set', 'unset', 'edit', 'path', 'schema'] as const) {
      ctx.contribute(cliCommands, `config ${name}`, {
        run: async (call) => (await import('./commands.ts')).configCommands(parts)[name](call),
      });
    }
  },
});
