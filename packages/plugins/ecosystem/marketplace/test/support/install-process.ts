/**
 * Installs a plugin in a process of its own, for tests of crashes and of several processes at once:
 * `node install-process.mjs BASE PLUGIN [STEP]` kills itself without a word when it reaches STEP.
 */
import { join } from 'node:path';
import { bundles, discovery } from '@tenon/discovery/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { packInstalls } from '@tenon/packs/api';
import { bundleSource } from '../../src/bundles.ts';
import { createEngine } from '../../src/engine.ts';
import { Reviews } from '../../src/review/review.ts';
import { userScope } from '../../src/scopes.ts';
import { Store } from '../../src/store/store.ts';
import { World } from './tenon.ts';

const [, , base = '', plugin = '', crashAt] = process.argv;
const world = new World(base);
const kernel = await world.start();
const { folders } = world;
const store = new Store(join(folders.data, 'plugins'), join(folders.cache, 'marketplace'));
const reviews = new Reviews();
kernel.install(
  inlineCandidate(
    { id: 'own-reviews', activate: (ctx) => void ctx.source(bundles, bundleSource({ folders, store, reviews })) },
    { sources: ['bundles'] },
  ),
);
const config = {
  githubUrl: 'https://example.invalid',
  maxMegabytes: 10,
  maxFiles: 100,
  maxRepositoryMegabytes: 100,
  timeoutSeconds: 10,
};
const engine = createEngine({
  folders,
  config,
  store,
  reviews,
  discovery: () => kernel.find(discovery),
  packs: () => kernel.find(packInstalls),
  step(name) {
    if (name === crashAt) process.kill(process.pid, 'SIGKILL');
  },
});
const { signal } = new AbortController();
const { id, market, entry } = await engine.marketplaces.find(plugin, folders.cwd, signal);
const files = userScope(folders);
await engine.installer.commit(
  await engine.installer.prepare(id, entry, market, files, { signal, offline: false }),
  files,
);
await kernel.dispose();
