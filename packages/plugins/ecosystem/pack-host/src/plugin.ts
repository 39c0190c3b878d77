import { definePlugin, installedPlugins, Type } from '@tenon/kernel';
import { inProject, protectedPlacesOf } from '@tenon/sandbox/api';
import { packHosts } from './api.ts';
import { createPackHosts } from './pack-hosts.ts';

const Config = Type.Object({
  memoryMb: Type.Number(),
  startSeconds: Type.Number(),
  callSeconds: Type.Number(),
  hangSeconds: Type.Number(),
  sandbox: Type.Unsafe<'auto' | 'bubblewrap' | 'landlock' | 'seatbelt'>(Type.String()),
});

/** Runs third-party packs out of process. */
export default definePlugin({
  id: 'pack-host',
  config: Config,
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
