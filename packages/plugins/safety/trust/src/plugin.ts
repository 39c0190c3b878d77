import { type CommandCall, cliCommands } from '@tenon/command-line/api';
import { folders, userInterface } from '@tenon/host';
import { definePlugin, installedPlugins } from '@tenon/kernel';
import { inProject, protectedPlacesOf } from '@tenon/sandbox/api';
import { workspaceTrust } from './api.ts';
import type { TrustParts } from './commands.ts';
import { createWorkspaceTrust } from './workspace-trust.ts';
import { trustFile } from './trust-records.ts';

type Run = (parts: TrustParts, call: CommandCall) => Promise<number | void>;

const commands: Readonly<Record<string, () => Promise<Run>>> = {
  'trust list': async () => (await import('./commands.ts')).listTrust,
  'trust add': async () => (await import('./commands.ts')).addTrust,
  'trust remove': async () => (await import('./commands.ts')).removeTrust,
  'trust status': async () => (await import('./commands.ts')).showTrust,
};

/** Which folders the user trusts. */
export default definePlugin({
  id: 'trust',
  needs: { folders, installed: installedPlugins },
  defines: [workspaceTrust],
  activate(ctx) {
    const { needs } = ctx;
    const triggers = () => inProject(protectedPlacesOf(needs.installed.manifests()).runsCode);
    const trust = createWorkspaceTrust({
      triggers,
      folders: needs.folders,
      // Without a plugin for modes nobody can be asked.
      userInterface: () => ctx.findOptional(userInterface),
    });
    ctx.provide(workspaceTrust, trust);
    const parts: TrustParts = { trust, triggers, file: trustFile(needs.folders.data) };
    for (const [words, load] of Object.entries(commands)) {
      ctx.contribute(cliCommands, words, { run: async (call) => (await load())(parts, call) });
    }
  },
});
