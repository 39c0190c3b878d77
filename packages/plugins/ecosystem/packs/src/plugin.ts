import { type CliCommand, cliCommands } from '@tenon/command-line/api';
import { folders, kernelView } from '@tenon/host';
import { doctorChecks } from '@tenon/doctor/api';
import { definePlugin, installedPlugins, plugins } from '@tenon/kernel';
import { packHosts } from '@tenon/pack-host/api';
import { marketplacePlugins, type PackInstalls, packInstalls } from './api.ts';
import type { CommandParts } from './commands/parts.ts';
import { createPackSource } from './pack-source.ts';

/** A command's code is imported when it runs: every start of Tenon passes through this file. */
const commands: Readonly<Record<string, (parts: CommandParts) => Promise<CliCommand>>> = {
  'plugin list': async (parts) => (await import('./commands/list.ts')).listCommand(parts),
  'plugin inspect': async (parts) => (await import('./commands/inspect.ts')).inspectCommand(parts),
  'plugin new': async () => (await import('./commands/new.ts')).newCommand(),
  'plugin test': async (parts) => (await import('./commands/test.ts')).testCommand(parts),
  'plugin link': async (parts) => (await import('./commands/link.ts')).linkCommand(parts),
  'plugin unlink': async (parts) => (await import('./commands/link.ts')).unlinkCommand(parts),
  'plugin enable': async (parts) => (await import('./commands/trust.ts')).enableCommand(parts, true),
  'plugin disable': async (parts) => (await import('./commands/trust.ts')).enableCommand(parts, false),
  'plugin trust': async (parts) => (await import('./commands/trust.ts')).trustCommand(parts),
  'plugin doctor': async (parts) => (await import('./commands/doctor.ts')).doctorCommand(parts),
  'plugin reload': async (parts) => (await import('./commands/doctor.ts')).reloadCommand(parts),
};

/** Finds packs, keeps what the user trusts them with, and starts them. */
export default definePlugin({
  id: 'packs',
  needs: { folders },
  defines: [marketplacePlugins, packInstalls],
  activate(ctx) {
    const parts: CommandParts = {
      folders: ctx.needs.folders,
      log: ctx.log,
      view: () => ctx.find(kernelView),
      hosts: () => ctx.find(packHosts),
      installed: () => ctx.findOptional(marketplacePlugins),
    };
    const source = createPackSource({
      ...parts,
      // Without anybody who can tell whether it is still what was installed, an installed pack does not start.
      verify: async (folder) => (await ctx.find(marketplacePlugins)).verify(folder),
      manifests: async () => (await ctx.find(installedPlugins)).manifests(),
      report: (error) => ctx.report(error),
    });
    ctx.source(plugins, source);
    ctx.provide(packInstalls, lazyInstalls(parts));
    for (const [words, load] of Object.entries(commands)) {
      ctx.contribute(cliCommands, words, { run: async (call) => (await load(parts)).run(call) });
    }
    ctx.contribute(doctorChecks, 'packs', {
      run: async () => (await import('./commands/doctor-check.ts')).checkPacks(parts),
    });
  },
});

/** Who installs packs is rarely needed: its code is loaded when it is. */
function lazyInstalls({ folders: places, view }: CommandParts): PackInstalls {
  const open = async () => {
    const { createPackInstalls } = await import('./pack-installs.ts');
    return createPackInstalls(places, async (id) => (await view()).status().some((status) => status.id === id));
  };
  return {
    read: async (folder) => (await open()).read(folder),
    holderOf: async (id, plugin) => (await open()).holderOf(id, plugin),
    add: async (install) => (await open()).add(install),
    remove: async (gone) => (await open()).remove(gone),
  };
}
