import { definePlugin, installedPlugins, Type } from '@tenon/kernel';
import { inProject, protectedPlacesOf } from '@tenon/sandbox/api';
import { packHosts } from './api.ts';
import type { PackHostSettings } from './generated/settings.ts';
import { createPackHosts } from './pack-hosts.ts';

/** Runs third-party packs out of process. */
export default definePlugin({
  id: 'pack-host',
  config: Type.Unsafe<PackHostSettings>({}),
  defines: [packHosts],
  needs: { installed: installedPlugins },
  activate(ctx) {
    const { installed } = ctx.needs;
    const triggers = () => inProject(protectedPlacesOf(installed.manifests()).runsCode);
    const hosts = createPackHosts({ config: ctx.config, log: ctx.log, triggers });
    ctx.provide(packHosts, hosts);
    ctx.defer(() => hosts.stopAll());
  },
});
