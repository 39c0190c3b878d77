import { type CommandCall, cliCommands } from '@tenon/command-line/api';
import { folders, userInterface } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
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
  needs: { folders },
  defines: [workspaceTrust],
  activate(ctx) {
    const { needs } = ctx;
    const trust = createWorkspaceTrust({
      folders: needs.folders,
      // Without a plugin for modes nobody can be asked.
      userInterface: () => ctx.findOptional(userInterface),
    });
    ctx.provide(workspaceTrust, trust);
    const parts: TrustParts = { trust, file: trustFile(needs.folders.data) };
    for (const [words, load] of Object.entries(commands)) {
      ctx.contribute(cliCommands, words, { run: async (call) => (await load())(parts, call) });
    }
  },
});
