import { join } from 'node:path';
import { cliCommands } from '@tenon/command-line/api';
import { folders, kernelView } from '@tenon/host';
import { definePlugin, installedPlugins, type Slot, Type } from '@tenon/kernel';
import { languageServerSources } from '@tenon/lsp/api';
import { onMachine, protectedPlaces, protectedPlacesOf } from '@tenon/sandbox/api';
import { sshHostFinders } from '@tenon/ssh/api';
import { workspaceTrust } from '@tenon/trust/api';
import * as api from './api.ts';
import { BUNDLED, BUNDLES, bundleSource } from './bundles/bundle-sources.ts';
import type { BundleReaders } from './bundles/bundle-readers.ts';
import { DocumentCache } from './document-cache.ts';
import { type Look, registerFamily, sourceOf } from './family.ts';
import { families as builtInFamilies } from './families/index.ts';
import { createFinder } from './finder.ts';
import { KINDS } from './kind-table.ts';
import { createLinkGuard } from './links.ts';
import { readMcpConfig } from './readers/mcp-servers.ts';
import { createSourceFiles } from './source-files.ts';
import type { DiscoverySettings } from './generated/settings.ts';

const SAVE_AFTER_MS = 1_000;
/** The user's own folders of the setting `discovery.skills.folders` come after those of every tool. */
const CUSTOM_PRIORITY = 1;

/** Servers that somebody names for a run are meant, whatever else has their name. */
const NAMED_PRIORITY = 1_000;

/** Finds what users have for other tools. */
export default definePlugin({
  id: 'discovery',
  config: Type.Unsafe<DiscoverySettings>({}),
  needs: { folders, installed: installedPlugins },
  defines: [...KINDS.map(({ slot }) => slot), api.discoveryDenials, api.discovery, api.sourceFiles],
  activate(ctx) {
    const { home, config, cache: cacheFolder } = ctx.needs.folders;
    const cache = new DocumentCache(join(cacheFolder, 'discovery', 'documents.json'));
    const { config: settings, data, state } = ctx.needs.folders;
    const isTrusted = async (folder: string) => {
      // Without the plugin for trust nobody is trusted.
      const trust = await ctx.findOptional(workspaceTrust);
      // Nor where its record is damaged, which it tells whoever wants to run something.
      const state = await trust?.stateOf(folder).catch(() => undefined);
      return state === 'trusted';
    };
    const linkProblem = createLinkGuard({
      forbidden() {
        const { secrets, private: accounts } = protectedPlacesOf(ctx.needs.installed.manifests());
        return [...onMachine([...secrets, ...accounts], home), settings, data, state];
      },
      isTrusted,
    });
    const files = createSourceFiles(cache, linkProblem);
    let saving: NodeJS.Timeout | undefined;
    const finder = createFinder({
      home,
      settings: () => ctx.config,
      read: (slot) => ctx.read(slot),
      isTrusted,
      afterLoad() {
        saving ??= setTimeout(() => {
          saving = undefined;
          void cache.save();
        }, SAVE_AFTER_MS).unref();
      },
    });
    ctx.defer(() => {
      clearTimeout(saving);
      return cache.save();
    });
    ctx.provide(api.sourceFiles, files);
    ctx.provide(api.discovery, finder);
    const findBundles = async (cwd: string) => (await finder.load(api.bundles, cwd)).items;
    for (const [kind, slot] of Object.entries(BUNDLED))
      ctx.source(slot as Slot<unknown>, bundleSource(kind as keyof BundleReaders, files, findBundles));
    for (const family of builtInFamilies) {
      registerFamily(ctx, family, files, config);
      if (family.protects) ctx.contribute(protectedPlaces, family.id, family.protects);
    }
    const readCustomSkills: Look<api.Skill> = async (search) => {
      for (const folder of ctx.config.skills.folders)
        await api.readSkills(search, { path: search.fromHome(folder), level: 'user' }, { needsDescription: true });
    };
    ctx.source(api.skills, sourceOf('custom', CUSTOM_PRIORITY, files, [readCustomSkills]));
    const readNamedServers: Look<api.McpServerConfig> = async (search) => {
      for (const given of ctx.config.mcpConfigs) await readMcpConfig(search, given, ctx.needs.folders.cwd);
    };
    ctx.source(api.mcpServers, sourceOf('custom', NAMED_PRIORITY, files, [readNamedServers]));
    ctx.contribute(languageServerSources, 'discovery', {
      find: async (folder) => (await import('./language-server-finder.ts')).languageServerFinder(finder).find(folder),
    });
    ctx.contribute(sshHostFinders, 'discovery', {
      find: async (cwd, signal) => (await import('./ssh-host-finder.ts')).sshHostFinder(finder, home).find(cwd, signal),
    });
    const families = async () => {
      const kinds = new Set(KINDS.map(({ slot }) => slot.id));
      const sources = (await ctx.find(kernelView)).registrations().filter(({ kind }) => kind === 'source');
      const ids = sources.flatMap(({ target, key }) => (kinds.has(target) && key !== undefined ? [key] : []));
      // What bundles hold belongs to the family that found the bundle.
      return [...new Set(ids)].filter((id) => id !== BUNDLES).sort();
    };
    ctx.contribute(cliCommands, 'discover', {
      run: async (call) => (await import('./discover-command.ts')).discover({ finder, home, families }, call),
    });
  },
});
