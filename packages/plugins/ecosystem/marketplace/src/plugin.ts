import { join } from 'node:path';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { bundles, discovery } from '@tenon/discovery/api';
import { doctorChecks } from '@tenon/doctor/api';
import { definePlugin, Type } from '@tenon/kernel';
import { marketplacePlugins, packInstalls } from '@tenon/packs/api';
import { bundleSource } from './bundles.ts';
import type { Run } from './commands/parts.ts';

import type { Engine } from './engine.ts';
import { Reviews } from './review/review.ts';
import { Store } from './store/store.ts';
import type { MarketplaceSettings } from './generated/settings.ts';

/** A command's code is imported when it runs. */
const commands: Readonly<Record<string, () => Promise<Run>>> = {
  'marketplace add': async () => (await import('./commands/marketplace.ts')).addMarketplace,
  'marketplace remove': async () => (await import('./commands/marketplace.ts')).removeMarketplace,
  'marketplace update': async () => (await import('./commands/marketplace.ts')).updateMarketplaces,
  'marketplace list': async () => (await import('./commands/marketplace.ts')).listMarketplaces,
  'plugin discover': async () => (await import('./commands/look.ts')).discover,
  'plugin installed': async () => (await import('./commands/look.ts')).installed,
  'plugin outdated': async () => (await import('./commands/look.ts')).outdated,
  'plugin verify': async () => (await import('./commands/look.ts')).verify,
  'plugin hash': async () => (await import('./commands/look.ts')).hash,
  'plugin install': async () => (await import('./commands/install.ts')).install,
  'plugin upgrade': async () => (await import('./commands/install.ts')).upgrade,
  'plugin uninstall': async () => (await import('./commands/install.ts')).uninstall,
  'plugin rollback': async () => (await import('./commands/install.ts')).rollback,
};

/** Installs plugins from marketplaces, pinned and made sure of, and offers them to discovery and to packs. */
export default definePlugin({
  id: 'marketplace',
  config: Type.Unsafe<MarketplaceSettings>({}),
  needs: { folders },
  activate(ctx) {
    const { folders: places } = ctx.needs;
    const store = new Store(join(places.data, 'plugins'), join(places.cache, 'marketplace'));
    const reviews = new Reviews();
    let made: Promise<Engine> | undefined;
    const engine = () =>
      (made ??= import('./engine.ts').then(({ createEngine }) =>
        createEngine({
          folders: places,
          config: ctx.config,
          store,
          reviews,
          discovery: () => ctx.find(discovery),
          packs: () => ctx.find(packInstalls),
        }),
      ));
    const plugins = async () =>
      (await import('./marketplace-plugins.ts')).createMarketplacePlugins(await engine(), ctx.signal);
    ctx.source(bundles, bundleSource({ folders: places, store, reviews }));
    ctx.provide(marketplacePlugins, {
      list: async () => (await plugins()).list(),
      verify: async (folder) => (await plugins()).verify(folder),
      setEnabled: async (id, enabled) => (await plugins()).setEnabled(id, enabled),
      inspect: async (id) => (await plugins()).inspect(id),
    });
    for (const [words, load] of Object.entries(commands)) {
      ctx.contribute(cliCommands, words, { run: async (call) => (await load())(await engine(), call) });
    }
    ctx.contribute(doctorChecks, 'marketplace', {
      run: async () => (await import('./doctor-check.ts')).checkMarketplaces(await engine(), places.cwd, ctx.signal),
    });
  },
});
